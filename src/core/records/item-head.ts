/** Reads the pid and the class of an item of a batch, before it is validated. */

import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { ServiceError } from '../errors.ts';
import type { Schema } from '../schema/schema.ts';
import { classNamedIn, schemaTypeIn, schemaTypeInWords } from '../schema-type.ts';

export type ItemHead = {
  readonly pid: string | undefined;
  /** The class that it names, if the schema has that. */
  readonly className: string | undefined;
  readonly namesClass: boolean;
  /** The class that it names, in words. */
  readonly type: string;
};

/** A pid may be anything in an item that is refused. */
const LONGEST_PID = 1000;

/** @throws ServiceError `body_malformed` for an item that is not an object */
export function itemHead(schema: Schema, item: JsonValue): ItemHead {
  const object: JsonObject = asObject(item);
  return {
    pid: typeof object.pid === 'string' ? object.pid.slice(0, LONGEST_PID) : undefined,
    className: classNamedIn(schema, object),
    namesClass: schemaTypeIn(object) !== undefined,
    type: schemaTypeInWords(object).slice(0, LONGEST_PID),
  };
}

/** An item of a conditional batch: a record, and the state that it replaces, by the headers of a single store. */
type ConditionalItem = {
  readonly record: JsonObject;
  readonly if_match?: string;
  readonly if_none_match?: string;
};

/** @throws ServiceError `body_malformed` for other members: a condition that is misspelled must not be ignored */
export function conditionalItem(item: JsonValue): ConditionalItem {
  const { record, ...conditions } = asObject(item);
  const refuse = (found: string): never => {
    const expected = "expected an object 'record' and the strings 'if_match' or 'if_none_match'";
    throw new ServiceError('body_malformed', `The item has ${found}, ${expected}.`);
  };
  if (!isJsonObject(record)) return refuse("no object 'record'");
  for (const [name, value] of Object.entries(conditions)) {
    if (name !== 'if_match' && name !== 'if_none_match')
      refuse(`the member ${JSON.stringify(name.slice(0, LONGEST_PID))}`);
    if (typeof value !== 'string') refuse(`the member '${name}', which is not a string`);
  }
  return { ...conditions, record };
}

/** @throws ServiceError `body_malformed` */
export function asObject(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  throw new ServiceError('body_malformed', 'The item is not a JSON object.');
}
