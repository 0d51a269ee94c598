/** What a record or a release is cited with. */

import { scalarsIn } from '#linkml/folding.ts';
import type { ReadRecord } from '../../core/collections/area.ts';
import { readSettings } from '../../core/collections/settings.ts';
import { definedRecord } from '../../core/records/record.ts';
import { headSlots, titleOf } from '../../core/records/title.ts';
import { mapRecord, textOfValue } from '../publish/profiles.ts';
import { type ReadContext, recordContextOf } from '../publish/publication.ts';
import { publicUrls } from '../publish/signposting.ts';
import type { Release } from '../releases/releases.ts';
import type { Citation } from './formats.ts';
import type { CiteSettings } from './settings.ts';

/** Names in a citation. */
const MOST_CREATORS = 100;
const DOI = /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:)?(10\.\d{4,9}\/[^\s{}]+)$/i;

/** A record by its own creators, or those of the collection. */
export async function citationOfRecord(
  context: ReadContext,
  found: ReadRecord,
  origin: string,
): Promise<Citation> {
  const { schema, name } = context.collection;
  const { publish: publishing = {}, cite = {} } = await readSettings(context.collection);
  const { record } = found;
  const { pid, iri, className } = record;
  const content = definedRecord(schema, record);
  const { modified, to } = await recordContextOf(context, found);
  const titles = new Map(to.map((row) => [schema.expand(row.pid) ?? row.pid, row.title ?? row.pid]));
  const { values } = mapRecord(
    schema,
    'datacite',
    publishing,
    { className, record: content },
    (reference) => titles.get(reference) ?? reference,
  );
  const textsOf = (term: string) => (values.get(term) ?? []).map(textOfValue);
  const identifiers = (headSlots(schema)[className] ?? []).flatMap((slot) =>
    scalarsIn(content[slot] ?? null),
  );
  const dois = [...identifiers, iri].flatMap((one) => DOI.exec(one)?.[1] ?? []);
  const creators = textsOf('creators').map((one) => ({ name: one }));
  const [publisher = name] = textsOf('publisher');
  const dates = textsOf('dates').filter((one) => /^\d{4}/.test(one));
  return {
    key: keyOf(pid),
    title: titleOf(schema, className, content) ?? pid,
    creators: (creators.length > 0 ? creators : creatorsOf(cite)).slice(0, MOST_CREATORS),
    date: dates[0] ?? modified,
    publisher,
    version: undefined,
    doi: dois[0],
    url: publicUrls(origin, name, publishing.base).ofRecord(pid, iri),
    license: publishing.license,
  };
}

export async function citationOfRelease(
  { collection }: Pick<ReadContext, 'collection'>,
  { name, time, publish }: Release,
  origin: string,
): Promise<Citation> {
  const { cite = {} } = await readSettings(collection);
  return {
    key: keyOf(`${collection.name}-${name}`),
    title: publish.title ?? collection.schema.title ?? collection.name,
    creators: creatorsOf(cite).slice(0, MOST_CREATORS),
    date: time,
    publisher: publish.publisher,
    version: name,
    doi: cite.dois?.[name] ?? cite.doi,
    url: publicUrls(origin, collection.name).below(`release/${encodeURIComponent(name)}`),
    license: publish.license,
  };
}

function creatorsOf({ creators = [] }: CiteSettings) {
  return creators.map(({ name, orcid }) => ({ name, ...(orcid !== undefined && { orcid }) }));
}

function keyOf(text: string): string {
  return (
    text
      .replace(/[^A-Za-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(-80) || 'record'
  );
}
