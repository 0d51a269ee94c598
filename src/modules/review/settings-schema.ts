/** The form of the setting `review` of a collection: who is to decide on what, until when, and how many have to. */
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
    approvals: {
      enum: [1, 2],
      description:
        'How many curators accept a submission before it is a curated record; of two, neither has submitted it. Default: 1.',
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
