/** Stand-ins for the configuration pieces of other rooms, until those have landed. */

export type BackendConfig = { readonly type: string; readonly mapping_method?: string };
export const backendConfigSchema = {
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    {
      properties: {
        type: { enum: ['record_dir', 'record_dir+stl'] },
        mapping_method: {
          enum: [
            'digest-md5',
            'digest-md5-p3',
            'digest-md5-p3-p3',
            'digest-sha1',
            'digest-sha1-p3',
            'digest-sha1-p3-p3',
            'after-last-colon',
          ],
          default: 'digest-md5',
        },
      },
      additionalProperties: false,
    },
    {
      properties: { type: { enum: ['sqlite', 'sqlite+stl', 'postgresql', 'postgresql+stl'] } },
      additionalProperties: false,
    },
  ],
};

export type SourceConfig =
  | { readonly type: 'config' }
  | {
      readonly type: 'forge' | 'forgejo';
      readonly url: string;
      readonly organization: string;
      readonly team: string;
      readonly label_type: 'team' | 'user';
      readonly instance_id?: string | null;
      readonly repository?: string | null;
    };
export const sourceConfigSchema = {
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    { properties: { type: { const: 'config' } }, additionalProperties: false },
    {
      properties: {
        type: { enum: ['forge', 'forgejo'] },
        url: { type: 'string', pattern: '^https?://' },
        organization: { type: 'string' },
        team: { type: 'string' },
        label_type: { enum: ['team', 'user'] },
        instance_id: { type: ['string', 'null'], default: null },
        repository: { type: ['string', 'null'], default: null },
      },
      required: ['url', 'organization', 'team', 'label_type'],
      additionalProperties: false,
    },
  ],
};

export type AuditBackendConfig = {
  readonly type: 'gitaudit';
  readonly path: string;
  readonly auto_flush_timeout: number;
};
export const auditBackendConfigSchema = {
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    {
      properties: {
        type: { const: 'gitaudit' },
        path: { type: 'string', minLength: 1 },
        auto_flush_timeout: { type: 'integer', minimum: 1, default: 60 },
      },
      required: ['path'],
      additionalProperties: false,
    },
  ],
};

export const tokenModes = [
  'READ_CURATED',
  'READ_COLLECTION',
  'WRITE_COLLECTION',
  'READ_SUBMISSIONS',
  'WRITE_SUBMISSIONS',
  'WRITE_INCOMING',
  'SUBMIT',
  'SUBMIT_ONLY',
  'NOTHING',
  'CURATOR',
] as const;
export type TokenMode = (typeof tokenModes)[number];

export function modeNeedsZone(mode: TokenMode): boolean {
  return !['READ_CURATED', 'READ_COLLECTION', 'READ_SUBMISSIONS', 'NOTHING'].includes(mode);
}
