/** The public page of a record: its values, what refers to it, how to cite it, and its description for search engines. */
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  Numeral,
  pointerSegment,
} from '#linkml/json.ts';
import { Html, html, jsonData, webAddress } from '../../core/formats/html.ts';
import { definedRecord } from '../../core/records/record.ts';
import { titleOf } from '../../core/records/title.ts';
import type { Schema, SlotDefinition, SlotRange } from '../../core/schema/schema.ts';
import { classNamedIn, SCHEMA_TYPE } from '../../core/schema-type.ts';
import { page } from './page.ts';
import { mapRecord } from './profiles.ts';
import type { PublicationMetadata } from './publishing.ts';

export type PublishedRecord = {
  readonly collection: string;
  readonly publishing: PublicationMetadata;
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
  /** Citations in formats of programs, by modules. */
  readonly citations: readonly { readonly title: string; readonly url: string }[];
};

export function landingPage(schema: Schema, published: PublishedRecord): string {
  const { publishing, pid, iri, className, modified, formats, citations } = published;
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
${citations.length === 0 ? '' : html`<p class="screen">As ${joined(citations.map(linkTo))}</p>`}
<footer>
<p>Identifier: ${link(iri)}${date === undefined ? '' : html`<br>Last change: ${date}`}${license === undefined ? '' : html`<br>License: ${link(license)}`}</p>
<p class="screen">As ${joined(formats.map(linkTo))}</p>
</footer>`,
  );
}

/** The collection as people call it. */
export function titleOfCollection(
  { title }: Pick<Schema, 'title'>,
  { publishing, collection }: Pick<PublishedRecord, 'publishing' | 'collection'>,
): string {
  return publishing.title ?? title ?? collection;
}

function referrersOf({ referrers, referrerCount }: PublishedRecord): Html {
  if (referrers.length === 0) return html``;
  const more = referrerCount === undefined ? 'many' : referrerCount - referrers.length || undefined;
  return html`<h2>Referred to by</h2>
<ul>${referrers.map(({ url, title, pid }) => html`<li><a href="${url}">${title ?? pid}</a></li>`)}</ul>
${more !== undefined ? html`<p class="about">and ${more} more</p>` : ''}`;
}

function linkTo({ url, title }: { readonly url: string; readonly title: string }): Html {
  return html`<a href="${url}">${title}</a>`;
}

function joined(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join(', '));
}

/** The description of a record. Objects and references are left out: search engines follow the links of the page. */
function schemaOrgOf(
  schema: Schema,
  published: PublishedRecord,
  record: JsonObject,
  title: string,
): JsonObject {
  const { className, publishing, modified, iri, url } = published;
  const { license, publisher } = publishing;
  const { class: type, values } = mapRecord(schema, 'schema_org', publishing, { className, record });
  const members = [...values].map(([name, all]) => [name, all.length === 1 ? all[0]! : [...all]]);
  return {
    '@context': 'https://schema.org',
    '@type': type,
    name: title,
    ...Object.fromEntries(members),
    '@id': iri,
    url,
    identifier: iri,
    // Only creative works have these; of anything else, the collection is the work.
    subjectOf: {
      '@type': 'Dataset',
      name: titleOfCollection(schema, published),
      ...(license !== undefined && { license }),
      ...(publisher !== undefined && { publisher: { '@type': 'Organization', name: publisher } }),
      ...(modified !== undefined && { dateModified: modified.slice(0, 10) }),
    },
  };
}

/** A record that another one refers to, or that refers to it. */
type LinkedRecord = { readonly pid: string; readonly title: string | null; readonly url: string };

type PageContext = {
  readonly schema: Schema;
  /** By the JSON Pointer of a reference: the record, if there is one that the caller sees. */
  readonly targets: ReadonlyMap<string, LinkedRecord>;
};

/** The values of an object, in the order of the slots of its class. */
function shownObject(shown: PageContext, className: string, object: JsonObject, pointer = ''): Html {
  const slots = shown.schema.classes.get(className)?.slots;
  // The page names the class of its record; of objects in it, the class is a value like others.
  const isShown = ({ name, designatesType }: SlotDefinition) =>
    Object.hasOwn(object, name) && !(designatesType && pointer === '');
  const known = [...(slots?.values() ?? [])].filter(isShown);
  const others = Object.keys(object).filter((name) => name !== SCHEMA_TYPE && !slots?.has(name));
  return html`<dl>${[
    ...known.map((slot) => {
      const value = shownSlot(shown, slot, object[slot.name]!, `${pointer}/${pointerSegment(slot.name)}`);
      return html`<dt title="${slot.description ?? slot.name}">${titleOfSlot(slot)}</dt><dd>${value}</dd>`;
    }),
    ...others.map((name) => html`<dt>${name}</dt><dd>${shownText(object[name]!)}</dd>`),
  ]}</dl>`;
}

function titleOfSlot({ title, name }: SlotDefinition): string {
  return title ?? name.replaceAll('_', ' ');
}

function shownSlot(shown: PageContext, { range }: SlotDefinition, value: JsonValue, pointer: string): Html {
  if (Array.isArray(value)) {
    const items = value.map((one, at) => shownValue(shown, range, one, `${pointer}/${at}`));
    return items.length === 1 ? items[0]! : html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  }
  const isMapping = range.kind === 'class' && /dict/.test(range.inlining) && isJsonObject(value);
  if (!isMapping) return shownValue(shown, range, value, pointer);
  const entries = Object.entries(value).map(([key, one]) => {
    const inner = shownValue(shown, range, one, `${pointer}/${pointerSegment(key)}`);
    return html`<dt>${key}</dt><dd>${inner}</dd>`;
  });
  return html`<dl>${entries}</dl>`;
}

function shownValue(shown: PageContext, range: SlotRange, value: JsonValue, pointer: string): Html {
  const target = shown.targets.get(pointer);
  if (target) return html`<a href="${target.url}">${target.title ?? target.pid}</a>`;
  if (isJsonObject(value)) {
    const given = range.kind === 'class' ? range.className : '';
    return shownObject(shown, classNamedIn(shown.schema, value) ?? given, value, pointer);
  }
  if (range.kind === 'enum' && typeof value === 'string') {
    const { title, meaning } = range.enum.values.get(value) ?? {};
    return linked(title ?? value, meaning === undefined ? undefined : shown.schema.expand(meaning));
  }
  if (typeof value !== 'string') return shownText(value);
  const isIri = range.kind !== 'type' || range.type.isIri;
  return linked(value, isIri ? (shown.schema.expandReference(value) ?? value) : value);
}

/** A string that leads to an address, if that is one of the web. */
function linked(text: string, address: string | undefined): Html {
  const url = address === undefined ? undefined : webAddress(address);
  return url === undefined ? html`${text}` : html`<a href="${url}">${text}</a>`;
}

function shownText(value: JsonValue): Html {
  if (typeof value === 'string') return html`${value}`;
  return html`${value instanceof Numeral ? value.source : canonicalJson(value)}`;
}
