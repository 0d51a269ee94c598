/** The setting `identifying_slots` of a collection. */
import type { SettingKeys } from '../../core/collections/settings.ts';
import type { Problem } from '../../core/errors.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { listOf, textSchema } from '../../core/shapes.ts';
import type { IdentifyingSlots } from './identify.ts';

declare module '../../core/collections/settings.ts' {
  interface ModuleSettings {
    readonly identifying_slots: IdentifyingSlots;
  }
}

export const settings: SettingKeys = {
  identifying_slots: {
    schema: {
      type: 'object',
      additionalProperties: listOf(textSchema),
      default: {},
      description: 'By class: slots whose values name one real thing, such as an ORCID.',
    },
    problems: (schema, value) => problemsOf(schema, value as IdentifyingSlots),
  },
};

/** Every class and slot that the schema lacks. */
function problemsOf(schema: Schema, identifying: IdentifyingSlots): Problem[] {
  const problem = (msg: string, ...path: readonly (string | number)[]): Problem => ({
    type: 'value_error',
    msg,
    loc: ['body', 'identifying_slots', ...path],
  });
  return Object.entries(identifying).flatMap(([name, slots]) => {
    const known = schema.classes.get(name)?.slots;
    if (!known) return [problem(`the schema has no class '${name}'`, name)];
    return slots.flatMap((slot, at) =>
      known.has(slot) ? [] : problem(`expected a slot of the class ${name}, found '${slot}'`, name, at),
    );
  });
}
