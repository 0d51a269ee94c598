/** The record that results from the chosen sides of a submission. */

import { pointerKeys } from '#linkml/json.ts';
import {
  isEqual,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  scalarText,
} from '../../../../ui/shared/json.ts';
import { type Choices, defaultSide, type Side, sideOf } from '../../../../ui/shared/merge.ts';
import type { SubmissionDifference } from '../../../client/client.ts';
import type { ReviewItem } from '../api-types.ts';

/** Whether the curated record is not the one that the submission was made from. */
export function hasBase({ base, curated, state }: ReviewItem): boolean {
  return state === 'diverged' && base !== null && !(curated !== null && isEqual(base, curated));
}

/** Returns the `take` of a request: choices that differ from the default. */
export function takeOf(differences: readonly SubmissionDifference[], choices: Choices): Record<string, Side> {
  const take: Record<string, Side> = {};
  for (const difference of differences) {
    const side = choices[difference.path];
    if (side !== undefined && side !== defaultSide(difference)) take[difference.path] = side;
  }
  return take;
}

/**
 * The record that accepting would store, for a form to begin with.
 *
 * @returns undefined if a path cannot be followed: then the record cannot be edited before the choice is stored
 */
export function resultOf(item: ReviewItem, choices: Choices): JsonObject | undefined {
  const isDefault = Object.keys(takeOf(item.differences, choices)).length === 0;
  if (item.merged && isDefault) return item.merged;
  const result = parseJson(JSON.stringify(item.submitted)) as JsonObject;
  for (const difference of item.differences) {
    const side = sideOf(difference, choices) ?? 'submitted';
    if (side === 'submitted') continue;
    if (
      difference.path === '' ||
      !put(result, pointerKeys(difference.path), difference[side], difference.submitted)
    )
      return undefined;
  }
  return result;
}

function put(target: Json, [segment, ...rest]: readonly string[], value: Json, before: Json): boolean {
  if (segment === undefined) return false;
  if (Array.isArray(target)) {
    const id = /^\[(.*)\]$/s.exec(segment)?.[1];
    if (id === undefined) return false;
    const at = target.findIndex((item) =>
      id.startsWith('#') ? isEqual(item, before) : identifies(item, id),
    );
    if (rest.length > 0) return at >= 0 && put(target[at]!, rest, value, before);
    if (value === null) {
      if (at >= 0) target.splice(at, 1);
    } else if (at >= 0) target[at] = value;
    else target.push(value);
    return true;
  }
  if (!isObject(target)) return false;
  if (rest.length === 0) {
    if (value === null) delete target[segment];
    else target[segment] = value;
    return true;
  }
  if (target[segment] === undefined) {
    if (value === null) return true;
    target[segment] = rest[0]?.startsWith('[') ? [] : {};
  }
  return put(target[segment]!, rest, value, before);
}

function identifies(item: Json, id: string): boolean {
  if (!isObject(item)) return scalarText(item) === id;
  const values = Object.values(item).map(scalarText);
  return id.split('|').every((part) => values.includes(part));
}
