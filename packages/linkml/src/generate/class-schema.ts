/**
 * One class of a schema as a value: typed, and a Standard Schema, so that libraries for forms, remote calls and
 * environment variables accept it as they accept a schema of zod.
 */

import type { Checked, CheckOptions } from '../check/check.ts';
import { LinkmlError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, Numeral } from '../json.ts';
import { didYouMean } from '../suggestions.ts';

/** A class whose canonical records have the type `T`: one that `typescriptTypes` generates. */
export interface ClassSchema<T> {
  readonly className: string;
  /** Like `check` of the schema, but numbers of the record are JavaScript numbers. */
  check(value: unknown): Checked<T>;
  /** Standard Schema 1 and Standard JSON Schema 1 (https://standardschema.dev). */
  readonly '~standard': StandardProps<T>;
}

/** The interfaces of the two specifications, whose types may be copied instead of imported. */
interface StandardProps<T> {
  readonly version: 1;
  readonly vendor: 'accession';
  validate(value: unknown): StandardResult<T>;
  readonly types?: { readonly input: T; readonly output: T } | undefined;
  readonly jsonSchema: {
    input(options: { readonly target: string }): Record<string, unknown>;
    output(options: { readonly target: string }): Record<string, unknown>;
  };
}

type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path: readonly (string | number)[] }[] };

/** The members of a schema that its classes are read from. */
type CheckedClasses = {
  readonly classes: ReadonlyMap<string, unknown>;
  check(className: string, value: unknown, options?: CheckOptions): Checked;
  jsonSchema(className: string): JsonObject;
};

/**
 * The class of a schema.
 *
 * @throws LinkmlError `class_unknown`
 */
export function classSchema<T>(
  schema: CheckedClasses,
  className: string,
  options?: CheckOptions,
): ClassSchema<T> {
  if (!schema.classes.has(className)) throw classUnknown(schema, className);
  const check = (value: unknown): Checked<T> => {
    const checked = schema.check(className, value, options);
    return checked.valid ? { valid: true, record: plain(checked.record) as T } : checked;
  };
  const jsonSchema = ({ target }: { readonly target: string }) => {
    if (target === 'draft-2020-12') return schema.jsonSchema(className);
    throw new Error(`The JSON Schema of a class is one of draft-2020-12, not of ${target}.`);
  };
  return {
    className,
    check,
    '~standard': {
      version: 1,
      vendor: 'accession',
      validate(value) {
        const checked = check(value);
        if (checked.valid) return { value: checked.record };
        return { issues: checked.problems.map(({ msg, loc }) => ({ message: msg, path: loc })) };
      },
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

export function classUnknown({ classes }: Pick<CheckedClasses, 'classes'>, className: string): LinkmlError {
  const hint = didYouMean(className, classes.keys());
  return new LinkmlError('class_unknown', `The schema has no class ${className}.${hint}`);
}

/** A record with JavaScript numbers instead of those that keep their digits. */
function plain(value: JsonValue): Exclude<JsonValue, Numeral> {
  if (value instanceof Numeral) return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, inner]) => [key, plain(inner)] as const);
  return Object.fromEntries(members) as JsonObject;
}
