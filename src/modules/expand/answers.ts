/** Reads that include what records refer to: everything of one revision, with an entity tag, so that an unchanged one is a 304. */
import { deserialize } from 'node:v8';
import type { FastifyReply } from 'fastify';
import type { AreaReads, Moment, Selected } from '../../collections/area.ts';
import { documentOrNoteOf } from '../../collections/documents.ts';
import { FORMATS, type FormatName } from '../../formats/formats.ts';
import type { Call } from '../../http/endpoint.ts';
import type { EnteredArea } from '../../http/enter.ts';
import { clientHas, tagOf } from '../../http/etag.ts';
import type { ValuesOf } from '../../http/parameter.ts';
import { choice, listParameter, parameterRefused, textParameter } from '../../http/query.ts';
import { noteRevision, refuseMatching } from '../../http/reads.ts';
import { sendJson, sendText } from '../../http/reply.ts';
import type { RecordText } from '../../records/record.ts';
import type { Schema } from '../../schema/schema.ts';
import { nearest } from '../../schema/suggestions.ts';
import { SCHEMA_TYPE } from '../../schema-type.ts';
import { listOf, objectOf, textSchema } from '../../shapes.ts';
import { LONG_BODY, type Pool } from '../../work/pool.ts';
import { expandedIn, referencesIn, referralsIn } from '../../work/tasks.ts';
import { yielder } from '../../yield.ts';
import { type Expanding, Expansion, type Source } from './expansion.ts';
import { EXPANSION_LIMITS, IN_EXPORT, parsePaths } from './paths.ts';
import { type ExpansionTexts, expansionTexts, type ReferenceRun } from './texts.ts';

export const expansionParameters = {
  expand: {
    ...textParameter(
      'Includes what records refer to: paths of slots with dots, separated by commas; `+` repeats the last step, ' +
        '`^slot` or `^slot(Class)` leads to what refers to a record.',
    ),
    schema: { type: 'string', minLength: 1 },
  },
  fields: listParameter(
    `Only these slots of each record, beside \`pid\`, \`${SCHEMA_TYPE}\` and those of \`expand\`.`,
  ),
  shape: choice(
    'Where included records are: `inline` in place of the references to them, or in a `graph` once, under `included`.',
    ['inline', 'graph'],
    'inline',
  ),
};

export type Asked = ValuesOf<typeof expansionParameters> & {
  readonly format: FormatName;
  readonly at: Moment | undefined;
  readonly matching?: string | undefined;
};

/** The records of a response, and its form. */
type Making = {
  readonly reads: AreaReads & Source;
  readonly expanding: Expanding;
  readonly asked: Asked;
  /** Where long documents are written. */
  readonly pool: Pool;
  /** Identifies the state that is read. */
  readonly state: string;
  /** Whether the area is one that curators see all of: then its state stands for the response. */
  readonly isWhole: boolean;
  /** Whether the client has the response already. */
  readonly isKnown: boolean;
};

/** Fixes the moment that everything is read at, and compares entity tags. */
async function begin(call: Call, { collection, area }: EnteredArea, asked: Asked): Promise<Making> {
  const { expand, fields, at, matching } = asked;
  const { schema } = collection;
  const paths = expand === undefined ? [] : parsePaths(schema, expand);
  if ('problem' in paths) throw parameterRefused('expand', expand ?? '', paths.problem);
  for (const name of fields ?? []) requireSlot(schema, name);
  refuseMatching(collection, matching);
  const present = { revisions: (await area.state()).revision.split('.').map(Number) };
  const reads = await area.at(at ?? present);
  const { content = '', revision } = await reads.state();
  noteRevision(call, area, revision);
  const isWhole = call.endpoint.area !== 'user';
  const { pool } = call.service;
  const expanding = { schema, paths, fields, texts: textsIn(pool, schema) };
  const isKnown = isWhole && clientHas(call, tagOf(JSON.stringify([content, call.request.url])));
  return { reads, expanding, asked, pool, state: content, isWhole, isKnown };
}

/** Reads and writes long records in threads. */
function textsIn(pool: Pool, schema: Schema): ExpansionTexts {
  const here = expansionTexts(schema);
  const isShort = ({ json }: RecordText) => json.length < LONG_BODY;
  const longOf = ({ className, json }: RecordText) => ({ schema, className, json });
  return {
    references: (record) => (isShort(record) ? here.references(record) : referencesOf(pool, longOf(record))),
    write: (record, edits) =>
      isShort(record) ? here.write(record, edits) : pool.run(expandedIn, { ...longOf(record), edits }),
    referrals: (record, iris) =>
      isShort(record) ? here.referrals(record, iris) : pool.run(referralsIn, { ...longOf(record), iris }),
  };
}

async function* referencesOf(pool: Pool, record: Parameters<typeof referencesIn.here>[0]) {
  const yieldIfDue = yielder();
  for (const part of await pool.run(referencesIn, record)) {
    yield* deserialize(part) as ReferenceRun[];
    await yieldIfDue();
  }
}

/** @throws ServiceError `parameter_invalid` */
function requireSlot(schema: Schema, name: string): void {
  const classes = [...schema.classes.values()];
  if (name === SCHEMA_TYPE || classes.some(({ slots }) => slots.has(name))) return;
  const meant = nearest(
    name,
    classes.flatMap(({ slots }) => [...slots.keys()]),
  );
  const such = meant === undefined ? '' : `, such as '${meant}'`;
  throw parameterRefused('fields', name, `slots of the schema${such}`);
}

/** Sends a body. If its entity tag does not stand for what was read, it stands for the body. */
function send(call: Call, { isWhole }: Making, body: string | Buffer, mediaType?: string): FastifyReply {
  if (!isWhole && clientHas(call, tagOf(body))) return call.reply.code(304).send();
  return mediaType === undefined ? sendJson(call.reply, body) : sendText(call.reply, mediaType, String(body));
}

/** GET of one record with what it includes. */
export async function sendExpandedRecord(
  call: Call,
  entered: EnteredArea,
  pid: string,
  asked: Asked,
): Promise<FastifyReply> {
  const making = await begin(call, entered, asked);
  if (making.isKnown) return call.reply.code(304).send();
  const found = await making.reads.read(pid);
  if (!found) return send(call, making, 'null');
  const expansion = await Expansion.of(making.expanding, making.reads, [found.record]);
  const text = await textOf(making, expansion, found.record);
  const { isJson, mediaType } = FORMATS[asked.format];
  return send(call, making, text, isJson ? undefined : mediaType);
}

/** GET of a list of records with what they include. */
export async function sendExpandedList(
  call: Call,
  entered: EnteredArea,
  selected: Selected,
  asked: Asked,
): Promise<FastifyReply> {
  const making = await begin(call, entered, asked);
  if (making.isKnown) return call.reply.code(304).send();
  const records = await making.reads.list(selected, FORMATS[asked.format].mostListed);
  const { items, graph } = await itemsOf(making, records);
  const body =
    asked.shape === 'inline' ? bytesOf('[', items, ']') : bytesOf('{"items":[', items, `]${graph}}`);
  return send(call, making, body);
}

/** The same in pages. */
export async function sendExpandedPage(
  call: Call,
  entered: EnteredArea,
  selected: Selected,
  asked: Asked & { readonly page: number; readonly size: number },
): Promise<FastifyReply> {
  const making = await begin(call, entered, asked);
  if (making.isKnown) return call.reply.code(304).send();
  const cache = entered.collection.pages;
  const key = JSON.stringify(['expanded', call.request.url]);
  const known = cache.get(key, making.state);
  if (known) return send(call, making, known);
  const { records, total, page, size, pages } = await making.reads.page(selected, asked.page, asked.size);
  const { items, graph } = await itemsOf(making, records);
  const numbers = `"total":${total},"page":${page},"size":${size},"pages":${pages}`;
  const body = bytesOf('{"items":[', items, `]${graph},${numbers}}`);
  cache.set(key, making.state, body);
  return send(call, making, body);
}

/** The reads of an export, and the line or document of each of its records with what it includes; none if the client has it. */
export async function readsExpanded(
  call: Call,
  entered: EnteredArea,
  asked: Asked,
): Promise<{ readonly reads: AreaReads; readonly lineOf?: (record: RecordText) => Promise<string> }> {
  const making = await begin(call, entered, asked);
  const { reads, isKnown } = making;
  let left = IN_EXPORT.characters;
  const lineOf = async (record: RecordText) => {
    left += IN_EXPORT.times * record.json.length;
    const characters = Math.min(EXPANSION_LIMITS.characters, left);
    const limits = { ...EXPANSION_LIMITS, characters };
    const expansion = await Expansion.of(making.expanding, reads, [record], limits);
    const text = await textOf(making, expansion, record);
    left = Math.max(0, left - expansion.characters);
    return text;
  };
  return { reads, ...(!isKnown && { lineOf }) };
}

/** One record with what it includes. */
async function textOf(making: Making, expansion: Expansion, record: RecordText): Promise<string> {
  const { asked } = making;
  if (!FORMATS[asked.format].isJson) return documentsOf(making, expansion, record);
  if (asked.shape === 'inline') return (await expansion.inlined(record)).json;
  return `{"record":${await expansion.flat(record)},${await graphOf(making, expansion)}}`;
}

/** The items of a list, and what a graph has beside them. */
async function itemsOf(
  making: Making,
  records: readonly RecordText[],
): Promise<{ readonly items: readonly string[]; readonly graph: string }> {
  const { expanding, reads, asked } = making;
  const expansion = await Expansion.of(expanding, reads, records);
  const isInline = asked.shape === 'inline';
  const items: string[] = [];
  const yieldIfDue = yielder();
  for (const record of records) {
    if (!isInline) items.push(await flatItem(making, expansion, record));
    else if (FORMATS[asked.format].isJson) items.push((await expansion.inlined(record)).json);
    else items.push(JSON.stringify(await documentsOf(making, expansion, record)));
    await yieldIfDue();
  }
  return { items, graph: isInline ? '' : `,${await graphOf(making, expansion)}` };
}

/** A list of texts as bytes. Joined, they would be several long strings, which fill the memory of long-lived objects. */
function bytesOf(open: string, items: readonly string[], close: string): Buffer {
  const parts = [open, ...items.flatMap((item, at) => (at === 0 ? [item] : [',', item])), close];
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let length = 0;
  for (const part of parts) length += bytes.write(part, length);
  return bytes;
}

/** The members `included` and `truncated`. */
async function graphOf(making: Making, expansion: Expansion): Promise<string> {
  const included: string[] = [];
  const yieldIfDue = yielder();
  for (const record of expansion.included) {
    included.push(await flatItem(making, expansion, record));
    await yieldIfDue();
  }
  return `"included":[${included}],"truncated":${JSON.stringify(expansion.truncated)}`;
}

/** A record of a graph as JSON: itself, or its document as a string. */
async function flatItem(making: Making, expansion: Expansion, record: RecordText): Promise<string> {
  if (FORMATS[making.asked.format].isJson) return expansion.flat(record);
  return JSON.stringify(await documentOf(making, expansion, record));
}

/** A record and what it includes in another format than JSON: the documents of all. */
async function documentsOf(making: Making, expansion: Expansion, record: RecordText): Promise<string> {
  const { included, truncated } = await expansion.inlined(record);
  const documents: string[] = [];
  for (const one of [record, ...included()]) documents.push(await documentOf(making, expansion, one));
  const { note } = FORMATS[making.asked.format];
  for (const { pid, expand } of truncated)
    documents.push(note(`Truncated: read ${pid} with expand=${expand} for the rest.`));
  return documents.join('\n');
}

async function documentOf(
  { pool, expanding, asked }: Making,
  expansion: Expansion,
  record: RecordText,
): Promise<string> {
  const { pid, className } = record;
  return documentOrNoteOf(
    pool,
    expanding.schema,
    { pid, className, json: await expansion.plain(record) },
    asked.format,
  );
}

const recordList = listOf({ type: 'object' });

export const graphSchema = {
  title: 'Records with what they refer to',
  ...objectOf(
    {
      included: { ...recordList, description: 'The records that are included, each once, in pid order.' },
      truncated: {
        description: 'What exceeds a limit: the records and paths to ask for next.',
        ...listOf(objectOf({ pid: textSchema, expand: textSchema })),
      },
    },
    {
      record: { type: 'object', description: 'Of a read of one record.' },
      items: { ...recordList, description: 'Of a list.' },
    },
  ),
} as const;
