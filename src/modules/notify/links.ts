/** The page that a link in mail leads to. It asks before it does anything: programs look at links, too. */
import type { FastifyReply } from 'fastify';
import { html } from '../../core/formats/html.ts';
import { bodyBytes } from '../../core/http/body.ts';
import { contentPolicy } from '../../core/http/content-policy.ts';
import type { Call } from '../../core/http/endpoint.ts';
import { heldCollection } from '../../core/http/enter.ts';
import { sendText } from '../../core/http/reply.ts';
import type { Language } from './event-texts.ts';
import { htmlOf } from './message.ts';
import { followLink, type LinkPurpose, linkOf } from './readers.ts';

const TEXTS = {
  en: {
    confirm: {
      ask: 'Mail about {collection} to this address',
      act: 'Confirm the address',
      done: 'The address is confirmed.',
    },
    unsubscribe: {
      ask: 'Mail about {collection}',
      act: 'Stop this mail',
      done: 'You get no more mail about {collection}.',
    },
  },
  de: {
    confirm: {
      ask: 'Mails über {collection} an diese Adresse',
      act: 'Adresse bestätigen',
      done: 'Die Adresse ist bestätigt.',
    },
    unsubscribe: {
      ask: 'Mails über {collection}',
      act: 'Diese Mails beenden',
      done: 'Sie erhalten keine Mails mehr über {collection}.',
    },
  },
} as const satisfies Readonly<Record<Language, Readonly<Record<LinkPurpose, object>>>>;

const POLICY = contentPolicy("form-action 'self'");

/** Asks whether to follow the link, by a button that sends the same URL as a POST. @throws ServiceError `inbox_link_unknown` */
export async function showLink(call: Call, token: string): Promise<FastifyReply> {
  const collection = await heldCollection(call);
  const { purpose, reader } = await linkOf(collection, token);
  const { ask, act } = TEXTS[reader.language][purpose];
  const title = ask.replace('{collection}', collection.name);
  const content = html`<h1>${title}</h1>\n<form method="post"><button>${act}</button></form>`;
  return sendPage(call, htmlOf(reader.language, title, content));
}

/** Follows the link, also for the one click of mail programs (RFC 8058). @throws ServiceError `inbox_link_unknown` */
export async function useLink(call: Call, token: string): Promise<FastifyReply> {
  const collection = await heldCollection(call);
  // `List-Unsubscribe=One-Click`, or nothing: the URL says all.
  await bodyBytes(call);
  const link = await linkOf(collection, token);
  await followLink(collection, link);
  const { language } = link.reader;
  const done = TEXTS[language][link.purpose].done.replace('{collection}', collection.name);
  return sendPage(call, htmlOf(language, done, html`<p>${done}</p>`));
}

function sendPage({ reply }: Call, page: string): FastifyReply {
  reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer');
  return sendText(reply, 'text/html', page);
}
