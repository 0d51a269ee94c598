/** The key `smtp` in the configuration of a collection: the server that sends its mail. */
import type { ConfigurationKeys } from '../../core/config/config.ts';
import { secretFileSchema } from '../../core/config/secret-file.ts';
import type { Shape } from '../../core/shapes.ts';

/** Matches addresses that need no quotes (RFC 5321, 4.1.2): none can end a header or name a second mailbox. */
export const MAIL_ADDRESS = "^[\\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z\\d]([A-Za-z\\d.-]{0,187}[A-Za-z\\d])?$";

const text = { type: 'string', minLength: 1, maxLength: 1000 } as const;

const smtpSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['host', 'from', 'url'],
  properties: {
    host: { type: 'string', pattern: '^[\\w.:-]{1,253}$', examples: ['mail.example.org'] },
    // By default 587, 465 with `implicit`, 25 with `none`.
    port: { type: 'integer', minimum: 1, maximum: 65_535 },
    tls: { type: 'string', enum: ['starttls', 'implicit', 'none'], default: 'starttls' },
    user: text,
    password: { ...text, format: 'password' },
    password_file: secretFileSchema,
    from: { type: 'string', pattern: MAIL_ADDRESS, examples: ['accession@example.org'] },
    // Where people find the service: links of mail begin so.
    url: {
      type: 'string',
      maxLength: 1000,
      pattern: '^https?://[^/@\\s?#]+(/[^\\s?#]*)?$',
      examples: ['https://accession.example.org'],
    },
    // When digests are sent, UTC.
    digest_at: { type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', default: '06:00' },
  },
} as const;

export type SmtpConfig = Shape<typeof smtpSchema>;

declare module '../../core/config/config.ts' {
  interface ModuleConfiguration {
    smtp: SmtpConfig;
  }
}

export const configuration: ConfigurationKeys = { smtp: { schema: smtpSchema } };
