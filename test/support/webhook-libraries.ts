/**
 * Libraries of receivers, which judge what webhooks send. They are loaded by their names: a checkout whose packages were installed
 * before them skips the tests that need them.
 */
import { createRequire } from 'node:module';
import type { Received } from './receiver.ts';

const require = createRequire(import.meta.url);

/** @returns the reason to skip a test, or false if the library is installed */
export function missing(name: 'standardwebhooks' | 'cloudevents'): string | false {
  try {
    require.resolve(name);
    return false;
  } catch {
    return `${name} is not installed: run npm install`;
  }
}

type StandardWebhooks = {
  readonly Webhook: new (secret: string) => { verify(body: string, headers: object): unknown };
};

/** The payload of a request, as `standardwebhooks` verifies it. @throws if the signature is not that of the secret */
export function verified(secret: string, { body, headers }: Received): unknown {
  const { Webhook } = require('standardwebhooks') as StandardWebhooks;
  return new Webhook(secret).verify(body, headers);
}

/** An event as `cloudevents` parses it. */
export type ParsedEvent = {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly data: { readonly pid: string };
  validate(): boolean;
};

export function parsedEvent(received: Received): ParsedEvent {
  const { HTTP } = require('cloudevents') as { HTTP: { toEvent(one: Received): ParsedEvent } };
  return HTTP.toEvent(received);
}
