/** The types of TypeScript that JSON Schemas describe. */
import type { ProblemReport, SlotRange } from './api-types.ts';

/** A JSON value as clients have it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** A JSON object; a record is one of `pid`, `schema_type` and the slots of its class. */
export type JsonObject = { [key: string]: Json };

/** The schemas that others refer to by name. */
type Named = {
  readonly '#/components/schemas/Problem': ProblemReport;
  readonly '#/components/schemas/SlotRange': SlotRange;
  readonly '#/components/schemas/Records': readonly JsonObject[];
};

/** The type that a JSON Schema, declared `as const`, describes; any JSON if it says too little. */
export type FromSchema<S> = S extends { const: infer Value }
  ? Value
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { $ref: infer Name extends keyof Named }
      ? Named[Name]
      : S extends { type: readonly (infer Type)[] }
        ? OfType<S, Type>
        : S extends { type: infer Type }
          ? OfType<S, Type>
          : S extends { oneOf: readonly (infer One)[] }
            ? FromSchema<One>
            : Json;

/** One of the types of a schema; distributes over several. */
type OfType<S, Type> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { items: infer Item }
            ? readonly FromSchema<Item>[]
            : Json[]
          : ObjectOf<S>;

type ObjectOf<S> = S extends { properties: infer P }
  ? { readonly [K in keyof P & RequiredOf<S>]: FromSchema<P[K]> } & {
      readonly [K in Exclude<keyof P, RequiredOf<S>>]?: FromSchema<P[K]>;
    }
  : S extends { additionalProperties: infer Member extends object }
    ? Readonly<Record<string, FromSchema<Member>>>
    : JsonObject;

type RequiredOf<S> = S extends { required: readonly (infer Name)[] } ? Name : never;
