/**
 * The metadata of a release as Croissant 1.0 (https://docs.mlcommons.org/croissant/docs/croissant-spec.html): its records as one
 * table, for programs that learn from data. Slots with objects do not fit a table and are left out.
 */
import type { Schema, SlotRange } from '../../core/schema/schema.ts';
import { SCHEMA_TYPE } from '../../core/schema-type.ts';
import type { Release, ReleaseFile } from './releases.ts';

/** The terms of Croissant, as its specification has them in its context. */
const TERMS =
  'citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset jsonPath key md5 ' +
  'parentField path recordSet references regex repeated replace samplingRate separator source subField transform';
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  sc: 'https://schema.org/',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  dct: 'http://purl.org/dc/terms/',
  conformsTo: 'dct:conformsTo',
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  data: { '@id': 'cr:data', '@type': '@json' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
  ...Object.fromEntries(TERMS.split(' ').map((term) => [term, `cr:${term}`])),
};

/** By the built-in type that a range rests on; others are text. */
const DATA_TYPES: Readonly<Record<string, string>> = {
  integer: 'sc:Integer',
  float: 'sc:Float',
  double: 'sc:Float',
  decimal: 'sc:Float',
  boolean: 'sc:Boolean',
  date: 'sc:Date',
  datetime: 'sc:DateTime',
};

/**
 * The text of the metadata.
 *
 * @param title that of the collection
 * @param present the slots that records have
 * @param file with the records
 */
export function croissantMetadata(
  schema: Schema,
  title: string,
  { name, notes, time, publish }: Release,
  present: ReadonlySet<string>,
  file: ReleaseFile,
): string {
  const id = (of: string) => ({ '@id': of });
  const columns = [...present].sort().flatMap((slot) => columnOf(schema, slot) ?? []);
  const fields = columns.map(({ name: column, ...more }) => ({
    '@type': 'cr:Field',
    ...id(`records/${column}`),
    name: column,
    ...more,
    source: { fileObject: id(file.path), extract: { column } },
  }));
  const metadata = {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    name: `${title}, ${name}`,
    description: notes ?? schema.description ?? title,
    // Versions are semantic ones there.
    ...(/^\d+\.\d+\.\d+$/.test(name) && { version: name }),
    datePublished: time,
    license: publish.license,
    ...(publish.publisher !== undefined && {
      publisher: { '@type': 'sc:Organization', name: publish.publisher },
    }),
    distribution: [
      {
        '@type': 'cr:FileObject',
        ...id(file.path),
        name: file.path,
        contentUrl: file.path,
        contentSize: `${file.size} B`,
        encodingFormat: 'application/jsonlines',
        sha256: file.digest,
      },
    ],
    recordSet: [
      { '@type': 'cr:RecordSet', ...id('records'), name: 'records', key: id('records/pid'), field: fields },
    ],
  };
  return JSON.stringify(metadata, undefined, 1);
}

/** The column of a slot; undefined if it has values that are not simple. */
function columnOf(schema: Schema, name: string) {
  if (name === SCHEMA_TYPE) return { name, description: 'The class of the record.', dataType: 'sc:Text' };
  const slots = schema.recordClasses.flatMap((one) => schema.classes.get(one)?.slots.get(name) ?? []);
  const types = new Set(slots.map(({ range }) => dataTypeOf(range)));
  const [dataType] = types;
  if (types.has(undefined) || dataType === undefined) return undefined;
  const description = slots.find((one) => one.description !== undefined)?.description;
  return {
    name,
    ...(description !== undefined && { description }),
    dataType: types.size === 1 ? dataType : 'sc:Text',
    ...(slots.some(({ multivalued }) => multivalued) && { repeated: true }),
  };
}

function dataTypeOf(range: SlotRange): string | undefined {
  if (range.kind === 'enum') return 'sc:Text';
  if (range.kind === 'class') return range.inlining === 'reference' ? 'sc:Text' : undefined;
  if (range.kind !== 'type') return undefined;
  return range.type.unionOf.length > 0 ? 'sc:Text' : (DATA_TYPES[range.type.base] ?? 'sc:Text');
}
