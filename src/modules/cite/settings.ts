/** The setting `cite` of a collection: who made it, who paid for it, and its DOIs. */
import type { SettingKeys } from '../../core/collections/settings.ts';
import type { Shape } from '../../core/shapes.ts';

const name = { type: 'string', minLength: 1, maxLength: 1000 } as const;
const doi = { type: 'string', pattern: '^10\\.[0-9]{4,9}/[^\\s<>"{}]+$', maxLength: 1000 } as const;

const citeSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'What citations of the collection have.',
  properties: {
    creators: {
      type: 'array',
      maxItems: 1000,
      description: 'Who made the collection, in the order of a citation.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: {
          name: { ...name, description: '`Family, Given` of a person, or the name of an organization.' },
          orcid: { type: 'string', pattern: '^\\d{4}-\\d{4}-\\d{4}-\\d{3}[0-9X]$' },
        },
      },
    },
    funders: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name, award: { ...name, description: 'The number of the grant.' } },
      },
    },
    doi: { ...doi, description: 'The DOI of the collection, for all its releases.' },
    dois: {
      type: 'object',
      maxProperties: 1000,
      additionalProperties: doi,
      description: 'The DOIs of single releases, by their names.',
    },
  },
} as const;
export type CiteSettings = Shape<typeof citeSchema>;

declare module '../../core/collections/settings.ts' {
  interface ModuleSettings {
    cite: CiteSettings;
  }
}

export const settings: SettingKeys = { cite: { schema: citeSchema } };
