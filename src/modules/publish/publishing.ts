/** The metadata of a published collection. */
import type { Shape } from '../../core/shapes.ts';

const publishedText = { type: 'string', minLength: 1, maxLength: 1000 } as const;
const publishedUrl = { type: 'string', pattern: '^https?://[^\\s<>"]+$', maxLength: 2000 } as const;

export const publishingSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'What public pages say of the collection.',
  properties: {
    title: { ...publishedText, description: 'The title of the collection.' },
    license: { ...publishedUrl, description: 'The URL of the license of its records.' },
    publisher: { ...publishedText, description: 'The name of an organization or a person.' },
    base: {
      ...publishedUrl,
      description: 'Records whose IRIs start with this URL are found at their IRIs, which a proxy serves.',
    },
    contact: {
      type: 'string',
      pattern: '^[^\\s<>"]+@([^\\s<>"@.]+\\.)+[^\\s<>"@.]+$',
      maxLength: 320,
      description: 'The e-mail address of who answers people and harvesters.',
    },
  },
} as const;
/** Metadata of a published collection; each is absent if it is not set. */
export type PublicationMetadata = Shape<typeof publishingSchema>;
