/** The schema of the values that a slot takes, in descriptions of classes. */
import { descriptions, flagSchema, listOf, objectOf, textOrNull, textSchema } from '../shapes.ts';

export const rangeRef = { $ref: '#/components/schemas/SlotRange' } as const;

/** Limits of values of a slot or a type. */
export const valueLimits = {
  pattern: textSchema,
  minimum_value: { type: ['number', 'string'] },
  maximum_value: { type: ['number', 'string'] },
} as const;

/** The values that a slot takes. */
export const slotRangeSchema = {
  title: 'The range of a slot',
  oneOf: [
    objectOf(
      {
        kind: { const: 'type' },
        type: textSchema,
        base: textSchema,
        uri: textSchema,
        description: textOrNull,
      },
      valueLimits,
    ),
    objectOf(
      {
        kind: { const: 'enum' },
        enum: textSchema,
        description: textOrNull,
        open: { ...flagSchema, description: 'Whether other values than those listed are valid.' },
        values: listOf(objectOf({ value: textSchema, ...descriptions, meaning: textOrNull })),
      },
      {
        vocabularies: {
          description:
            'The vocabularies whose terms are values; `/-/{collection}/terms/{vocabulary}?enum=` finds them.',
          ...listOf(textSchema),
        },
      },
    ),
    objectOf({
      kind: { const: 'class' },
      class: textSchema,
      inlined: { ...flagSchema, description: 'Whether the object itself is the value.' },
      inlining: { enum: ['reference', 'object', 'dict', 'simple-dict'] },
      classes: { ...listOf(textSchema), description: 'The class and its subclasses.' },
    }),
    objectOf({ kind: { const: 'array' }, of: rangeRef }),
    objectOf({ kind: { const: 'union' }, alternatives: listOf(rangeRef) }),
    objectOf({ kind: { const: 'any' } }),
  ],
} as const;
