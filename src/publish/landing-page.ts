/** The public page of a record: its values, what refers to it, how to cite it, and its description for search engines. */
import type { JsonObject } from '../json.ts';
import { definedRecord } from '../records/record.ts';
import { titleOf } from '../records/title.ts';
import type { Schema } from '../schema/schema.ts';
import { Html, html, jsonData, webAddress } from './html.ts';
import { page } from './page.ts';
import type { ProfileTexts } from './profiles.ts';
import { schemaOrgOf } from './schema-org.ts';
import { type LinkedRecord, shownObject } from './values.ts';

/** What a collection says of what it publishes; each is absent if it is not set. */
export type Publishing = {
  readonly title?: string;
  /** The URL of a license. */
  readonly license?: string;
  /** The name of an organization or a person. */
  readonly publisher?: string;
  /** Records whose IRIs start with this URL are found at their IRIs. */
  readonly base?: string;
  readonly profiles?: ProfileTexts;
  /** The e-mail address of who answers harvesters. */
  readonly contact?: string;
};

/** A record as it is published. */
export type Published = {
  readonly collection: string;
  readonly publishing: Publishing;
  readonly pid: string;
  readonly iri: string;
  readonly className: string;
  readonly json: string;
  /** Where the record is found: absolute. */
  readonly url: string;
  /** When it was changed, ISO 8601; undefined if it is not known. */
  readonly modified: string | undefined;
  /** By JSON Pointer: the records that it refers to. */
  readonly targets: ReadonlyMap<string, LinkedRecord>;
  readonly referrers: readonly LinkedRecord[];
  /** How many records refer to it, beyond those above, too; undefined for too many to count. */
  readonly referrerCount: number | undefined;
  /** Other representations: the words for people, media type, URL. */
  readonly formats: readonly { readonly title: string; readonly mediaType: string; readonly url: string }[];
};

/** The page of a record. */
export function landingPage(schema: Schema, published: Published): string {
  const { publishing, pid, iri, className, modified, formats } = published;
  const record: JsonObject = definedRecord(schema, published);
  const title = titleOf(schema, className, record) ?? pid;
  const definition = schema.classes.get(className);
  const date = modified?.slice(0, 10);
  const { license } = publishing;
  const of = titleOfCollection(schema, published);
  const link = (url: string) => (webAddress(url) ? html`<a href="${url}">${url}</a>` : html`${url}`);
  return page(
    title,
    html`<link rel="canonical" href="${published.url}">
${formats.map((one) => html`<link rel="alternate" type="${one.mediaType}" href="${one.url}">\n`)}${jsonData(
  'application/ld+json',
  schemaOrgOf(schema, published, record, title),
)}`,
    html`<h1>${title}</h1>
<p class="about">${definition?.title ?? className} in ${of}</p>
${shownObject({ schema, targets: published.targets }, className, record)}
${referrersOf(published)}
<h2>Cite</h2>
<p>${title}. ${publishing.publisher === undefined ? of : `${of}, ${publishing.publisher}`}${date === undefined ? '' : `, ${date}`}. ${link(published.url)}</p>
<footer>
<p>Identifier: ${link(iri)}${date === undefined ? '' : html`<br>Last change: ${date}`}${license === undefined ? '' : html`<br>License: ${link(license)}`}</p>
<p class="screen">As ${joined(formats.map((one) => html`<a href="${one.url}">${one.title}</a>`))}</p>
</footer>`,
  );
}

/** The collection as people call it. */
export function titleOfCollection(
  { title }: Pick<Schema, 'title'>,
  { publishing, collection }: Pick<Published, 'publishing' | 'collection'>,
): string {
  return publishing.title ?? title ?? collection;
}

function referrersOf({ referrers, referrerCount }: Published): Html {
  if (referrers.length === 0) return html``;
  const more = referrerCount === undefined ? 'many' : referrerCount - referrers.length || undefined;
  return html`<h2>Referred to by</h2>
<ul>${referrers.map(({ url, title, pid }) => html`<li><a href="${url}">${title ?? pid}</a></li>`)}</ul>
${more !== undefined ? html`<p class="about">and ${more} more</p>` : ''}`;
}

function joined(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join(', '));
}
