/** The types that schemas of the interface describe. */
import type { JsonObject, Shape } from '../shapes.ts';
import type { problemSchema } from './endpoints/schemas.ts';
import type { slotRangeSchema } from './slot-range.ts';

export type ProblemReport = FromSchema<typeof problemSchema>;
/** The values that a slot takes. */
export type SlotRange = FromSchema<typeof slotRangeSchema>;

/** The schemas that others refer to by name. */
type NamedSchema = {
  readonly '#/components/schemas/Problem': ProblemReport;
  readonly '#/components/schemas/SlotRange': SlotRange;
  readonly '#/components/schemas/Records': readonly JsonObject[];
};

/** The type that a schema of the interface, declared `as const`, describes; any JSON if it says too little. */
export type FromSchema<S> = Shape<S, NamedSchema>;
