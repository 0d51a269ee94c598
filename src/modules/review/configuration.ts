/** The key `review` in the configuration of a collection. */
import type { ConfigurationKeys } from '../../core/config/config.ts';

declare module '../../core/config/config.ts' {
  interface ModuleConfiguration {
    review: {
      /** Whether submitters are shown who decided. */
      readonly show_reviewer: boolean;
    };
  }
}

export const configuration: ConfigurationKeys = {
  review: {
    schema: {
      type: 'object',
      properties: { show_reviewer: { type: 'boolean', default: false } },
      additionalProperties: false,
    },
  },
};
