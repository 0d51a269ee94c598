/** The setting `review` of a collection: who is to decide on what, and until when. */
import type { SettingKeys } from '../../core/collections/settings.ts';
import type { Problem } from '../../core/errors.ts';
import type { Shape } from '../../core/shapes.ts';

const name = { type: 'string', minLength: 1, maxLength: 1000, pattern: '^[^\\u0000]*$' } as const;
const names = { type: 'array', minItems: 1, maxItems: 1000, items: name } as const;

export const reviewSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'How submissions are reviewed.',
  properties: {
    assign: {
      type: 'array',
      maxItems: 1000,
      description: 'Rules that assign new submissions to curators: the first that applies.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['curator'],
        properties: {
          curator: { ...name, description: 'The user id of the curator.' },
          classes: { ...names, description: 'Only submissions of these classes, with their subclasses.' },
          zones: { ...names, description: 'Only submissions of the zones with these labels.' },
        },
      },
    },
    due_days: {
      type: 'integer',
      minimum: 1,
      maximum: 3650,
      description: 'Within how many days after it was assigned a submission is to be decided.',
    },
  },
} as const;
export type ReviewSettings = Shape<typeof reviewSchema>;

declare module '../../core/collections/settings.ts' {
  interface ModuleSettings {
    review: ReviewSettings;
  }
}

export const settings: SettingKeys = {
  review: {
    schema: reviewSchema,
    problems: (schema, value) =>
      ((value as ReviewSettings).assign ?? []).flatMap(({ classes = [] }, rule) =>
        classes.flatMap((one, at): Problem[] =>
          schema.classes.has(one)
            ? []
            : [
                {
                  type: 'value_error',
                  loc: ['body', 'review', 'assign', rule, 'classes', at],
                  msg: `expected a class of the schema, found '${one}'`,
                },
              ],
        ),
      ),
  },
};
