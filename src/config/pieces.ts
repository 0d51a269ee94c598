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
