/** The inbox of a user as an Atom feed (RFC 4287), for programs that have nothing but its URL. */
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { html } from '../../core/formats/html.ts';
import type { Call } from '../../core/http/endpoint.ts';
import { heldCollection } from '../../core/http/enter.ts';
import { sendTagged } from '../../core/http/etag.ts';
import { originOf } from '../../core/http/origin.ts';
import { EVENT_TEXTS } from './event-texts.ts';
import { eventsOf, inboxAgain } from './inbox.ts';
import { deskUrl, eventLine, oneLine } from './message.ts';
import { linkUnknown, type Reader, readerOfFeed } from './readers.ts';

/** The last so many items. */
export const MOST_ENTRIES = 50;

/** Sends the feed of a secret. @throws ServiceError `inbox_link_unknown`, `policies_unavailable` */
export async function sendFeed(call: Call, secret: string): Promise<FastifyReply> {
  const collection = await heldCollection(call);
  const reader = await readerOfFeed(collection, secret);
  const of = await inboxAgain(collection, reader.granted, call.service.registry);
  if (!of) throw linkUnknown('The feed');
  const { events } = await eventsOf(of, { limit: MOST_ENTRIES });
  const { language } = reader;
  const url = originOf(call);
  const about = { collection: collection.name, url, language };
  const entries = events.map(({ event, key }) => {
    const { words, title, link } = eventLine(event, about, of.grant.permissions.curate);
    return html`<entry>
<id>${idOf(reader, key)}</id>
<title>${`${words}: ${title}`}</title>
<updated>${event.time}</updated>
<link href="${link}"/>
${event.text === null ? undefined : html`<summary>${event.text}</summary>\n`}</entry>
`;
  });
  const [newest] = events;
  const atom = html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${idOf(reader, '')}</id>
<title>${`${EVENT_TEXTS[language].inbox}: ${oneLine(collection.name)}`}</title>
<updated>${newest?.event.time ?? new Date(0).toISOString()}</updated>
<author><name>Accession</name></author>
<link href="${deskUrl(url, [collection.name, 'inbox'])}"/>
${entries}</feed>
`.text;
  call.reply.header('cache-control', 'private, no-cache').header('referrer-policy', 'no-referrer');
  return sendTagged(call, 'application/atom+xml; charset=utf-8', atom);
}

/** An id that stays and reveals nothing: a UUID of version 8 (RFC 9562, 5.8). */
function idOf({ id, secret }: Reader, key: string): string {
  const digits = hash('sha256', JSON.stringify([secret, id, key]))
    .slice(0, 32)
    .split('');
  digits[12] = '8';
  digits[16] = '89ab'[Number.parseInt(digits[16]!, 16) % 4]!;
  return `urn:uuid:${digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
}
