/** JSON Schemas of what the interface takes and answers, and the types of TypeScript that they describe. */

/** A JSON value as clients have it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** A JSON object; a record is one of `pid`, `schema_type` and the slots of its class. */
export type JsonObject = { [key: string]: Json };

/**
 * The type that a JSON Schema, declared `as const`, describes; any JSON if it says too little.
 *
 * @template Named the types of the schemas that it refers to
 */
export type Shape<S, Named = object> = S extends { const: infer Value }
  ? Value
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { $ref: infer Name extends keyof Named }
      ? Named[Name]
      : S extends { type: readonly (infer Type)[] }
        ? OfType<S, Type, Named>
        : S extends { type: infer Type }
          ? OfType<S, Type, Named>
          : S extends { oneOf: readonly (infer One)[] }
            ? Shape<One, Named>
            : Json;

/** One of the types of a schema; distributes over several. */
type OfType<S, Type, Named> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { items: infer Item }
            ? readonly Shape<Item, Named>[]
            : Json[]
          : ObjectOf<S, Named>;

type ObjectOf<S, Named> = S extends { properties: infer P }
  ? { readonly [K in keyof P & RequiredOf<S>]: Shape<P[K], Named> } & {
      readonly [K in Exclude<keyof P, RequiredOf<S>>]?: Shape<P[K], Named>;
    }
  : S extends { additionalProperties: infer Member extends object }
    ? Readonly<Record<string, Shape<Member, Named>>>
    : JsonObject;

type RequiredOf<S> = S extends { required: readonly (infer Name)[] } ? Name : never;

export type Members = { readonly [key: string]: unknown };

export const textSchema = { type: 'string' } as const;
export const textOrNull = { type: ['string', 'null'] } as const;
/** The members of what a schema describes. */
export const descriptions = { title: textOrNull, description: textOrNull } as const;
export const countSchema = { type: 'integer', minimum: 0 } as const;
export const flagSchema = { type: 'boolean' } as const;

/**
 * An object with these members. Types are read from it ({@link Shape}), so members keep their literal types.
 *
 * @param optional members that may be missing
 */
export function objectOf<const P extends Members, const O extends Members = Record<never, never>>(
  properties: P,
  optional?: O,
) {
  const required = Object.keys(properties) as (keyof P & string)[];
  return { type: 'object', required, properties: { ...properties, ...(optional as O) } } as const;
}

/** The object of a request body: it may have no other members. */
export function bodyOf<const P extends Members, const O extends Members = Record<never, never>>(
  properties: P,
  optional?: O,
) {
  return { ...objectOf(properties, optional), additionalProperties: false } as const;
}

export function listOf<const I extends Members>(items: I) {
  return { type: 'array', items } as const;
}

/** A value of this type, or null. */
export function orNull<const S extends { readonly type: string }>(schema: S) {
  return { ...schema, type: [schema.type as S['type'], 'null'] } as const;
}

export const pageNumbers = {
  total: countSchema,
  page: { type: 'integer', minimum: 1 },
  size: { type: 'integer', minimum: 1 },
  pages: countSchema,
} as const;
