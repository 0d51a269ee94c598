/** The types of requests and responses for clients, read from the schemas of the endpoint table. */
import type { JsonValue } from '../json.ts';
import type { classSchema, classSummarySchema, pidsSchema, titlesSchema } from './endpoints/classes.ts';
import type { historyEntrySchema } from './endpoints/history.ts';
import type { meSchema } from './endpoints/me.ts';
import type { maintenanceSchema, pageSchema, problemSchema, serverSchema } from './endpoints/schemas.ts';
import type { healthSchema, readySchema } from './endpoints/service.ts';

/** The type that a JSON Schema, declared `as const`, describes; any JSON if it says too little. */
export type FromSchema<S> = S extends { const: infer Value }
  ? Value
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { type: readonly (infer Type)[] }
      ? OfType<S, Type>
      : S extends { type: infer Type }
        ? OfType<S, Type>
        : JsonValue;

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
            : readonly JsonValue[]
          : ObjectOf<S>;

type ObjectOf<S> = S extends { properties: infer P }
  ? { readonly [K in keyof P & RequiredOf<S>]: FromSchema<P[K]> } & {
      readonly [K in Exclude<keyof P, RequiredOf<S>>]?: FromSchema<P[K]>;
    }
  : S extends { additionalProperties: infer Member extends object }
    ? Readonly<Record<string, FromSchema<Member>>>
    : Readonly<Record<string, JsonValue>>;

type RequiredOf<S> = S extends { required: readonly (infer Name)[] } ? Name : never;

export type Me = FromSchema<typeof meSchema>;
export type ClassSummary = FromSchema<typeof classSummarySchema>;
export type ClassDescription = FromSchema<typeof classSchema>;
export type TitlesRequest = FromSchema<typeof pidsSchema>;
export type Titles = FromSchema<typeof titlesSchema>;
export type HistoryEntry = FromSchema<typeof historyEntrySchema>;
export type Health = FromSchema<typeof healthSchema>;
export type Ready = FromSchema<typeof readySchema>;
export type ServerInformation = FromSchema<typeof serverSchema>;
export type MaintenanceRequest = FromSchema<typeof maintenanceSchema>;
export type RecordPage = FromSchema<typeof pageSchema>;
export type ProblemReport = FromSchema<typeof problemSchema>;
