/** Drafts of the configuration are stored by the browser, without the secrets of it. */
import { masked, type Shown } from '../../src/core/config/secrets.ts';
import { isEqual, type Json, type JsonObject, scalarText } from '../shared/json.ts';
import type { StoredAs } from '../shared/kept.ts';

/**
 * How an element is stored: a secret in force as the place where the element has it, and one that was typed as null, for which it
 * has to be typed again.
 *
 * @param initial the element as the service has it
 * @param shown what is not secret
 */
export function withoutSecrets(initial: JsonObject, shown: Shown | undefined): StoredAs<JsonObject> {
  const secrets = new Map<string, Json>();
  const place = (path: readonly (string | number)[]) => JSON.stringify(path);
  map(initial, shown, (secret, path) => {
    secrets.set(place(path), secret);
    return null;
  });
  const placeOf = (secret: Json) => [...secrets].find(([, one]) => isEqual(one, secret))?.[0] ?? null;
  return {
    store: (value) => map(value, shown, placeOf),
    restore: (stored) => map(stored, shown, (at) => secrets.get(scalarText(at)) ?? null) as JsonObject,
  };
}

/** The types of JSON in the service and in its responses differ in name alone. */
const map = masked as unknown as (
  value: Json,
  shown: Shown | undefined,
  mask: (secret: Json, path: readonly (string | number)[]) => Json,
) => Json;
