/**
 * The functions of the core that threads run for {@link Pool}. Like `app.ts`, this file only brings rooms together. Arguments and results
 * are copied between threads.
 */

import { canonicalJson, type JsonObject, parseJson } from '#linkml/json.ts';
import type { SuggestionBudget } from '#linkml/suggestions.ts';
import { inThread } from '../errors.ts';
import { bodyProblems, decodeBody } from '../formats/body-text.ts';
import { checkOptionsOf, documentOrNote, FORMATS, type FormatName } from '../formats/formats.ts';
import { parseJsonBody } from '../formats/json.ts';
import { itemTexts } from '../formats/json-items.ts';
import { describeChange } from '../records/describe-change.ts';
import { highlightOf, type Sought } from '../records/highlights.ts';
import { conditionalItem, itemHead } from '../records/item-head.ts';
import { linksOf } from '../records/links.ts';
import { definedRecord, type RecordText } from '../records/record.ts';
import { matcher, type SearchConditions } from '../records/search.ts';
import { type SubmissionMode, validateObject } from '../records/submit.ts';
import { titleOf } from '../records/title.ts';
import {
  openSchema,
  openSchemaText,
  type Piece,
  piecesOf,
  type ReadOptions,
  type SchemaFiles,
} from '../schema/schema.ts';
import { standingOf, type WordQuery } from '../storage/search/word-query.ts';
import { type WordOptions, wordsOf } from '../storage/tokens.ts';
import { inParts, type OfRecord, type OfSchema, ofSchema, task, termsIn } from './task.ts';

/** A body of one object of a class. */
type Body = OfSchema & {
  readonly className: string;
  readonly format: FormatName;
  readonly bytes: Uint8Array;
  readonly contextUrl: string | undefined;
  readonly mode: SubmissionMode;
  /** What suggestions may cost, if the request has other bodies. */
  readonly suggestions?: SuggestionBudget | undefined;
};

/**
 * The records that a body becomes, in serialized parts: a list of tens of thousands would be copied at once, and requests wait
 * meanwhile.
 *
 * @throws ServiceError `body_malformed`, `conversion_failed`, `record_invalid`, `prefix_unknown`
 */
export const judgeBody = ofSchema(async (body: Body): Promise<Uint8Array[]> => {
  const { schema, className, format, bytes, contextUrl, mode, suggestions } = body;
  const value = await FORMATS[format].parse(decodeBody(bytes), className, schema, contextUrl);
  const options = { ...checkOptionsOf(format), ...(suggestions && { suggestions }) };
  return inParts(validateObject(schema, className, value, mode, options));
});

/** The document of a record in a format. @throws ServiceError `conversion_failed` */
export const documentIn = ofSchema(
  ({ schema, className, json, format }: OfRecord & { readonly format: FormatName }) =>
    FORMATS[format].serialize(json, className, schema),
);

/** The document of a record in a format, or a note that says why there is none. */
export const documentOrNoteIn = ofSchema(
  ({ schema, format, ...record }: OfRecord & { readonly pid: string; readonly format: FormatName }) =>
    documentOrNote(format, schema, record),
);

/** The same of many records, in their order. */
export const documentsOrNotesIn = ofSchema(
  ({
    schema,
    format,
    records,
  }: OfSchema & { readonly records: readonly RecordText[]; readonly format: FormatName }) =>
    records.map((record) => documentOrNote(format, schema, record)),
);

/** Lists the problems of a JSON body. @throws ServiceError `body_malformed` */
export const bodyProblemsIn = task(
  ({ bytes, schema }: { readonly bytes: Uint8Array; readonly schema: object }) => bodyProblems(bytes, schema),
);

/** The items of a batch. @throws ServiceError `body_malformed`, `body_too_large` */
export const itemTextsIn = task((bytes: Uint8Array) => itemTexts(decodeBody(bytes)));

/** See {@link itemHead}. @throws ServiceError `body_malformed` */
export const itemHeadIn = ofSchema(({ schema, text }: OfSchema & { readonly text: string }) =>
  itemHead(schema, parseJsonBody(text)),
);

/** See {@link conditionalItem}; the record as its text. @throws ServiceError `body_malformed` */
export const conditionalItemIn = task((text: string) => {
  const { record, ...conditions } = conditionalItem(parseJsonBody(text));
  return { ...conditions, text: canonicalJson(record) };
});

export const linksIn = ofSchema(({ schema, ...record }: OfRecord) =>
  linksOf(schema, record.className, definedRecord(schema, record)),
);

/** Finds the title of a record. */
export const titleIn = ofSchema(({ schema, className, json }: OfRecord) =>
  titleOf(schema, className, parseJson(json) as JsonObject),
);

/** Whether a search finds a record. */
export const matchIn = task(
  ({ conditions, json }: { readonly conditions: SearchConditions; readonly json: string }) =>
    matcher(conditions)(json),
);

/** See {@link standingOf}. */
export const standingIn = task(
  ({
    query,
    ...record
  }: {
    readonly query: WordQuery;
    readonly json: string;
    readonly className: string;
    readonly options: WordOptions;
  }) => standingOf(query, wordsOf(record.json, record.className, record.options)),
);

/** See {@link highlightOf}. */
export const highlightIn = task(
  ({
    json,
    titles,
    sought,
  }: {
    readonly json: string;
    readonly titles: readonly string[];
    readonly sought: Sought;
  }) => highlightOf(json, titles, sought),
);

/** Describes a change for a history. */
export const changeOf = task(describeChange);

/** A schema to try: its text, as if it were found at the address, or the file there. */
type TriedSchema = Pick<SchemaFiles, 'address' | 'vocabularies'> & {
  readonly text: string | undefined;
  readonly options: Omit<ReadOptions, 'warn'>;
  /** The name of the text in messages. */
  readonly place: string;
};

/** The files of a schema that can be opened, and the first one parsed. @throws LinkmlError `schema_invalid` */
export const filesOfSchema = inThread(
  async ({
    address,
    text,
    options,
    vocabularies,
    place,
  }: TriedSchema): Promise<Pick<SchemaFiles, 'text' | 'sources'> & { readonly pieces: readonly Piece[] }> => {
    const read = { ...options, terms: termsIn(vocabularies) };
    const schema =
      text === undefined ? await openSchema(address, read) : await openSchemaText(text, address, read, place);
    return { text: schema.text, sources: schema.sources, pieces: piecesOf(schema.text) };
  },
);
