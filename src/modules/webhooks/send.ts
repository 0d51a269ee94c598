/**
 * One request to the receiver of a webhook, signed as Standard Webhooks says: an HMAC-SHA256 of the id, the time and the body, so a
 * receiver knows who sent it and when.
 */
import { createHmac } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { addAbortSignal } from 'node:stream';
import { TIMEOUT } from '../../core/durations.ts';
import { retryAfter } from '../../core/retry-after.ts';
import { addressGuard } from '../../core/schema/address-guard.ts';
import { failureOf, responseTo } from '../../core/schema/download.ts';
import { countSchema, flagSchema, objectOf, orNull, type Shape, textOrNull } from '../../core/shapes.ts';
import type { Notice } from './projection.ts';
import type { StoredWebhook } from './webhooks.ts';

/** A message; with every attempt, its id is the same. */
export type Message = {
  readonly id: string;
  /** Without one, the message is a test. */
  readonly notice?: Notice;
};

export const outcomeSchema = objectOf({
  delivered: flagSchema,
  status: { ...orNull(countSchema), description: 'Of the response; null if there was none.' },
  error: textOrNull,
});
/** `error`: why the message is not delivered, as a clause. */
export type Outcome = Shape<typeof outcomeSchema>;

/** What became of an attempt. */
export type Attempt = {
  readonly outcome: Outcome;
  /** For how long the receiver asks to be left alone, in milliseconds. */
  readonly pause?: number | undefined;
};

export type SendOptions = {
  readonly collection: string;
  /** The hosts on this machine or in a private network that may be sent to; undefined lets all. */
  readonly hosts: readonly string[] | undefined;
  /** Ends the request when the service stops. */
  readonly signal?: AbortSignal;
};

/** The bytes that are read of the body of a response; the rest is of no use. */
const MOST_READ = 64 * 1024;

/**
 * Sends a message. The status of the response decides, whatever becomes of its body. Redirects are not followed: the URL is the one
 * that curators have set.
 */
export async function send(
  webhook: Pick<StoredWebhook, 'name' | 'config' | 'secret'>,
  message: Message,
  { collection, hosts, signal }: SendOptions,
): Promise<Attempt> {
  const timeout = AbortSignal.timeout(TIMEOUT.webhook);
  const { type, body } = bodyOf(webhook, message, collection);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'user-agent': 'accession',
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(webhook.secret, `${message.id}.${timestamp}.${body}`),
  };
  try {
    const url = new URL(webhook.config.url);
    const either = signal ? AbortSignal.any([timeout, signal]) : timeout;
    const response = await post(url, headers, body, hosts, either);
    const { statusCode: status = 0 } = response;
    await discard(response);
    if (status >= 200 && status < 300) return { outcome: { delivered: true, status, error: null } };
    const isRedirect = status >= 300 && status < 400;
    const more = isRedirect ? ', and redirects are not followed' : '';
    const pause = retryAfter(response.headers['retry-after'], response.headers.date);
    return { outcome: { delivered: false, status, error: `the receiver answers ${status}${more}` }, pause };
  } catch (error) {
    const reason = timeout.aborted ? `no answer within ${TIMEOUT.webhook} ms` : failureOf(error);
    return { outcome: { delivered: false, status: null, error: reason } };
  }
}

function bodyOf(
  { name, config }: Pick<StoredWebhook, 'name' | 'config'>,
  { id, notice }: Message,
  collection: string,
): { readonly type: string; readonly body: string } {
  const type = notice ? `record.${notice.kind}` : 'webhook.test';
  const time = notice?.time ?? new Date().toISOString();
  const data = notice ?? { collection, webhook: name };
  if (config.format === 'standard')
    return { type: 'application/json', body: JSON.stringify({ type, timestamp: time, data }) };
  const event = {
    specversion: '1.0',
    id,
    source: `/${collection}`,
    type: `accession.${type}`,
    time,
    ...(notice && { subject: notice.pid }),
    datacontenttype: 'application/json',
    data,
  };
  return { type: 'application/cloudevents+json', body: JSON.stringify(event) };
}

function signatureOf(secret: string, signed: string): string {
  const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`;
}

/** Sends a request, again if its connection was a kept one, which the receiver may have closed meanwhile. @throws what {@link failureOf} explains */
async function post(
  url: URL,
  headers: Readonly<Record<string, string | number>>,
  body: string,
  hosts: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const options = { method: 'POST', headers, signal, ...addressGuard(url, hosts) };
  for (;;) {
    const sent = request(url, options);
    try {
      return await responseTo(sent.end(body));
    } catch (error) {
      if (!sent.reusedSocket || signal.aborted) throw error;
    }
  }
}

/** Reads a body to its end, so its connection is used again. One that is long, slow or broken ends with its connection. */
async function discard(response: IncomingMessage): Promise<void> {
  let read = 0;
  try {
    const body = addAbortSignal(AbortSignal.timeout(TIMEOUT.webhookBody), response);
    for await (const chunk of body as AsyncIterable<Buffer>) {
      read += chunk.length;
      if (read > MOST_READ) return;
    }
  } catch {
    // The receiver has answered.
  }
}
