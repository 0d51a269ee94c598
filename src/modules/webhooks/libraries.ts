/** Libraries of receivers, which judge what webhooks send. */
import { exportsOf } from '../../../test/support/installed.ts';
import type { Received } from '../../../test/support/receiver.ts';

type StandardWebhooks = {
  readonly Webhook: new (secret: string) => { verify(body: string, headers: object): unknown };
};

/** The payload of a request, as `standardwebhooks` verifies it. @throws if the signature is not that of the secret */
export function verifyPayload(secret: string, { body, headers }: Received): unknown {
  const { Webhook } = exportsOf('standardwebhooks') as StandardWebhooks;
  return new Webhook(secret).verify(body, headers);
}

/** An event as `cloudevents` parses it. */
type ParsedEvent = {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly data: { readonly pid: string };
  validate(): boolean;
};

export function parsedEvent(received: Received): ParsedEvent {
  const { HTTP } = exportsOf('cloudevents') as { HTTP: { toEvent(one: Received): ParsedEvent } };
  return HTTP.toEvent(received);
}
