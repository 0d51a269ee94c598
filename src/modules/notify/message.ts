/** Mail as text and HTML, in the language of its reader. */
import { type Html, html } from '../../core/formats/html.ts';
import { EVENT_TEXTS, eventText, type InboxEvent, type Language, placeOfEvent } from './event-texts.ts';

const TEXTS = {
  en: {
    subject: { one: '{n} new item in {collection}', other: '{n} new items in {collection}' },
    more: 'There is more in your inbox.',
    inbox: 'Open the inbox',
    end: 'Stop this mail',
    why: 'You get this mail because you have asked for it in {collection}.',
    confirmSubject: 'Confirm your address for {collection}',
    confirmWhy:
      '{user} asks for mail about {collection} to this address. Nothing else is sent to it before you confirm that.',
    confirm: 'Confirm the address',
    ignore: 'If you do not know what this is about, ignore this mail.',
  },
  de: {
    subject: { one: '{n} neuer Eintrag in {collection}', other: '{n} neue Einträge in {collection}' },
    more: 'Weiteres ist in Ihrem Posteingang.',
    inbox: 'Posteingang öffnen',
    end: 'Diese Mails beenden',
    why: 'Sie erhalten diese Mail, weil Sie das in {collection} gewünscht haben.',
    confirmSubject: 'Bestätigen Sie Ihre Adresse für {collection}',
    confirmWhy:
      '{user} wünscht Mails über {collection} an diese Adresse. Bevor Sie das bestätigen, wird nichts anderes an sie gesendet.',
    confirm: 'Adresse bestätigen',
    ignore: 'Wenn Sie nicht wissen, worum es geht, beachten Sie diese Mail nicht.',
  },
} as const;

type MailContent = { readonly subject: string; readonly text: string; readonly html: string };

/** What mail is about: the collection, and the URL by which people find the service. */
type About = { readonly collection: string; readonly url: string; readonly language: Language };

const LONGEST = { title: 200, text: 1000 } as const;

/** Characters that end a line or a header, or turn the direction of what follows. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A value that others have chosen as a part of a line. */
export function oneLine(value: string, longest: number = LONGEST.title): string {
  const line = value.toWellFormed().replace(UNSAFE, ' ').replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line;
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** The words of an event, its title, and where it leads. */
export function eventLine(
  event: InboxEvent,
  { collection, url, language }: About,
  curates: boolean,
): { readonly words: string; readonly title: string; readonly link: string } {
  const [key, by] = eventText(event);
  const { path, query } = placeOfEvent(collection, event, curates);
  return {
    words: fill(EVENT_TEXTS[language][key], { by: oneLine(by ?? '') }),
    title: oneLine(event.title ?? event.pid),
    link: deskUrl(url, path, query),
  };
}

/** The URL of a place in the desk. */
export function deskUrl(
  url: string,
  path: readonly string[],
  query: Readonly<Record<string, string>> = {},
): string {
  const search = new URLSearchParams(query).toString();
  const place = path.map(encodeURIComponent).join('/');
  return `${url.replace(/\/+$/, '')}/-/desk/${place}${search === '' ? '' : `?${search}`}`;
}

/** Mail with events, newest first. @param more whether there are further ones */
export function eventMail(
  events: readonly InboxEvent[],
  about: About,
  { curates, more, unsubscribe }: { curates: boolean; more: boolean; unsubscribe: string },
): MailContent {
  const texts = TEXTS[about.language];
  const collection = oneLine(about.collection);
  const values = { collection, n: `${events.length}${more ? '+' : ''}` };
  const inbox = deskUrl(about.url, [about.collection, 'inbox']);
  const lines = events.map((event) => ({
    ...eventLine(event, about, curates),
    comment: event.text === null ? undefined : oneLine(event.text, LONGEST.text),
  }));
  const subject = fill(texts.subject[events.length === 1 && !more ? 'one' : 'other'], values);
  const text = [
    ...lines.map(({ words, title, link, comment }) =>
      [`${words}: ${title}`, ...(comment === undefined ? [] : [`  ${comment}`]), link].join('\n'),
    ),
    ...(more ? [texts.more] : []),
    `${texts.inbox}: ${inbox}`,
    `-- \n${fill(texts.why, values)}\n${texts.end}: ${unsubscribe}`,
  ].join('\n\n');
  const content = html`<ul>
${lines.map(
  ({
    words,
    title,
    link,
    comment,
  }) => html`<li><p><bdi>${words}</bdi><br><a href="${link}"><bdi>${title}</bdi></a></p>
${comment === undefined ? undefined : html`<p><bdi>${comment}</bdi></p>`}</li>
`,
)}</ul>
${more ? html`<p>${texts.more}</p>` : undefined}
<p><a href="${inbox}">${texts.inbox}</a></p>
<hr>
<p><small>${fill(texts.why, values)} <a href="${unsubscribe}">${texts.end}</a></small></p>`;
  return { subject, text, html: htmlOf(about.language, subject, content) };
}

/** Mail with the link that confirms an address. */
export function confirmationMail(user: string, about: About, confirm: string): MailContent {
  const texts = TEXTS[about.language];
  const values = { collection: oneLine(about.collection), user: oneLine(user) };
  const subject = fill(texts.confirmSubject, values);
  const why = fill(texts.confirmWhy, values);
  const text = [why, `${texts.confirm}: ${confirm}`, texts.ignore].join('\n\n');
  const content = html`<p><bdi>${why}</bdi></p>
<p><a href="${confirm}">${texts.confirm}</a></p>
<p>${texts.ignore}</p>`;
  return { subject, text, html: htmlOf(about.language, subject, content) };
}

/** A document of its own, without images, scripts or styles. */
export function htmlOf(language: Language, title: string, content: Html): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
${content}
</body>
</html>
`.text;
}
