/**
 * The functions that threads run for {@link Pool}. Like `app.ts`, this file only brings rooms together. Arguments and results
 * are copied between threads.
 */
import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { inThread, type Problem } from './errors.ts';
import { bodyProblems, decodeBody } from './formats/body-text.ts';
import { documentOrNote, FORMATS, type FormatName } from './formats/formats.ts';
import { parseJsonBody } from './formats/json.ts';
import { itemTexts } from './formats/json-items.ts';
import { type JsonObject, parseJson } from './json.ts';
import { landingPage, type Published, type Publishing } from './publish/landing-page.ts';
import { type Harvested, type MetadataPrefix, metadataOf } from './publish/metadata-formats.ts';
import { profileFaults, type TriedRecord } from './publish/profile-faults.ts';
import type { VocabularyName } from './publish/vocabularies.ts';
import type { SubmissionTags } from './records/annotate.ts';
import { describeChange } from './records/describe-change.ts';
import { itemHead } from './records/item-head.ts';
import { type Judging, judge } from './records/judge.ts';
import { linksOf } from './records/links.ts';
import { definedRecord, type RecordText, schemaProblems } from './records/record.ts';
import { type Asked, matcher } from './records/search.ts';
import { type BaseContent, type Claims, readContent, type SubmittedContent } from './review/assess.ts';
import { RECORD_WORK } from './review/record-work.ts';
import type { Content } from './review/types.ts';
import {
  openSchema,
  openSchemaText,
  type ReadOptions,
  type Schema,
  type SchemaFiles,
} from './schema/schema.ts';
import { type LabelEntry, Labels } from './tables/labels.ts';
import type { TableReading } from './tables/read-table.ts';
import { type Referred, recordsOfTable, requestTable } from './tables/request.ts';
import { type TakeOptions, takeFrom } from './vocabularies/files.ts';
import { takeRecords } from './vocabularies/read/records.ts';
import { openSnapshot } from './vocabularies/snapshot.ts';
import { writeYaml } from './yaml/write.ts';

/** A record and its schema. */
type OfSchema = { readonly schema: SchemaFiles; readonly className: string; readonly json: string };

/** A body of one object of a class. */
export type Body = {
  readonly schema: SchemaFiles;
  readonly className: string;
  readonly format: FormatName;
  readonly bytes: Uint8Array;
  readonly contextUrl: string | undefined;
  readonly judging: Judging;
};

/** Records of one part, which takes some milliseconds to read again. */
const RECORDS_OF_PART = 500;

/**
 * The records that a body becomes, in serialized parts: a list of tens of thousands would be copied at once, and requests wait
 * meanwhile.
 *
 * @throws ServiceError `body_malformed`, `conversion_failed`, `record_invalid`, `prefix_unknown`
 */
export const judgeBody = inThread(async (body: Body): Promise<Uint8Array[]> => {
  const { className, format, bytes, contextUrl, judging } = body;
  const schema = await opened(body.schema);
  const value = await FORMATS[format].parse(decodeBody(bytes), className, schema, contextUrl);
  return inParts(judge(schema, className, value, judging));
});

function inParts(records: readonly RecordText[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < records.length; at += RECORDS_OF_PART)
    parts.push(serialize(records.slice(at, at + RECORDS_OF_PART)));
  return parts;
}

/** A table of records of a class. */
type OfTable = { readonly schema: SchemaFiles; readonly className: string; readonly reading: TableReading };

/** A table as it was sent, and what its rows refer to. @throws ServiceError `body_malformed`, `body_too_large` */
export const tableIn = inThread(
  async ({ schema, className, bytes, reading }: OfTable & { readonly bytes: Uint8Array }) =>
    requestTable(bytes, { schema: await opened(schema), className, locale: reading }, reading),
);

/** The labels of records. */
export const labelsIn = inThread(
  async (task: {
    readonly schema: SchemaFiles;
    readonly records: readonly Pick<RecordText, 'className' | 'json'>[];
  }): Promise<LabelEntry[]> => {
    const labels = new Labels(await opened(task.schema));
    return task.records.flatMap(({ className, json }) =>
      labels.entriesOf(className, parseJson(json) as JsonObject),
    );
  },
);

type JudgedTable = {
  readonly table: Uint8Array;
  readonly judging: Judging;
  readonly details: boolean;
  readonly replace: boolean;
};

/** The records that the rows of a table become, in parts, and the response as JSON. */
export const judgeTable = inThread(async ({ table, judging, ...task }: OfTable & Referred & JudgedTable) => {
  const { className, details, replace, reading: locale } = task;
  const options = { schema: await opened(task.schema), className, details, replace, locale };
  const { records, result } = recordsOfTable(table, task, options, (record) =>
    judge(options.schema, options.className, record, judging),
  );
  return { records: inParts(records), result: JSON.stringify(result) };
});

/** The document of a record in a format. @throws ServiceError `conversion_failed` */
export const documentIn = inThread(
  async ({ schema, className, json, format }: OfSchema & { readonly format: FormatName }) =>
    FORMATS[format].serialize(json, className, await opened(schema)),
);

/** The same, or a note that says why there is none. */
export const documentOrNoteIn = inThread(
  async ({ schema, format, ...record }: OfSchema & { readonly pid: string; readonly format: FormatName }) =>
    documentOrNote(format, await opened(schema), record),
);

/** The public page of a record. */
export const pageIn = inThread(
  async ({ schema, published }: { readonly schema: SchemaFiles; readonly published: Published }) =>
    landingPage(await opened(schema), published),
);

/** The metadata of records for harvesters. */
export const metadataIn = inThread(
  async (task: {
    readonly schema: SchemaFiles;
    readonly publishing: Publishing;
    readonly titles: ReadonlyMap<string, string>;
    readonly prefix: MetadataPrefix;
    readonly records: readonly Harvested[];
  }) => metadataOf({ ...task, schema: await opened(task.schema) }, task.prefix, task.records),
);

/** What profiles cannot express of records. */
export const profileFaultsIn = inThread(
  async (task: {
    readonly schema: SchemaFiles;
    readonly names: readonly VocabularyName[];
    readonly publishing: Publishing;
    readonly records: readonly TriedRecord[];
  }) => {
    const schema = await opened(task.schema);
    return task.records.flatMap((record) => profileFaults(schema, task.names, task.publishing, record));
  },
);

/** What is wrong with a JSON body. @throws ServiceError `body_malformed` */
export const bodyProblemsIn = inThread(
  ({ bytes, schema }: { readonly bytes: Uint8Array; readonly schema: object }) => bodyProblems(bytes, schema),
);

/** The items of a batch. @throws ServiceError `body_malformed`, `body_too_large` */
export const itemTextsIn = inThread((bytes: Uint8Array) => itemTexts(decodeBody(bytes)));

/** See {@link itemHead}. @throws ServiceError `body_malformed` */
export const itemHeadIn = inThread(
  async ({ schema, text }: { readonly schema: SchemaFiles; readonly text: string }) =>
    itemHead(await opened(schema), parseJsonBody(text)),
);

/** The references of a record. */
export const linksIn = inThread(async (record: OfSchema) => {
  const schema = await opened(record.schema);
  return linksOf(schema, record.className, definedRecord(schema, record));
});

/** The first problems that a schema has with a record. */
export const problemsOf = inThread(
  async ({ most, ...record }: OfSchema & { readonly most: number }): Promise<readonly Problem[]> => {
    const schema = await opened(record.schema);
    return schemaProblems(schema, record).slice(0, most);
  },
);

/** A submission, and what it is compared with. */
export type Submitted = {
  readonly schema: SchemaFiles;
  readonly tags: SubmissionTags;
  readonly content: SubmittedContent;
  readonly compared?: { readonly curated: Content | undefined; readonly base: BaseContent };
};

/** The digest of a submission, and what it is next to other records if they are given. */
export const submissionIn = inThread(async ({ schema, tags, content, compared }: Submitted) => {
  const read = readContent({ schema: await opened(schema), tags }, content);
  return { digest: read.digest, found: compared && (await read.assess(compared.curated, compared.base)) };
});

/** The input of a function of reviews, and what records are read with. */
export type OfReview<Input> = {
  readonly schema: SchemaFiles;
  readonly tags: SubmissionTags;
  readonly input: Input;
};

function ofReview<Input, Result>(work: (claims: Claims, input: Input) => Result) {
  return inThread(
    async ({ schema, tags, input }: OfReview<Input>): Promise<Result> =>
      work({ schema: await opened(schema), tags }, input),
  );
}

/** See {@link RECORD_WORK}. */
export const changesIn = ofReview(RECORD_WORK.changes);
export const shownIn = ofReview(RECORD_WORK.shown);
export const acceptedIn = ofReview(RECORD_WORK.accepted);
export const identifiedIn = ofReview(RECORD_WORK.identified);

/** Whether a search finds a record. */
export const matchIn = inThread(
  async ({
    schema,
    asked,
    json,
  }: {
    readonly schema: SchemaFiles;
    readonly asked: Asked;
    readonly json: string;
  }) => {
    const { expand } = await opened(schema);
    return matcher(asked, expand)(json);
  },
);

/** The YAML of a record. */
export const yamlOf = inThread((json: string) => writeYaml(parseJson(json) as JsonObject));

/** Describes a change for a history. */
export const changeOf = inThread(describeChange);

/** The bytes of a snapshot in memory that threads share, and their SHA-256 hash. */
export type TakenSnapshot = { readonly bytes: Uint8Array; readonly digest: string };

/** The snapshot of a source. @throws LinkmlError `schema_invalid` */
export const snapshotOf = inThread(
  async ({ source, url, ...options }: Omit<TakeOptions, 'url'> & { source: string; url: string }) =>
    shared(await takeFrom(source, { ...options, url: new URL(url) })),
);

/** Records as lines of IRI, class and record. */
export type RecordsAsTerms = {
  readonly schema: SchemaFiles;
  readonly source: string;
  readonly pieces: readonly Uint8Array[];
};

/** The snapshot of records. @throws LinkmlError `schema_invalid` if there are none */
export const snapshotOfRecords = inThread(async ({ schema, source, pieces }: RecordsAsTerms) =>
  shared(await takeRecords(pieces, source, await opened(schema))),
);

function shared(taken: Uint8Array): TakenSnapshot {
  const bytes = new Uint8Array(new SharedArrayBuffer(taken.length));
  bytes.set(taken);
  return { bytes, digest: createHash('sha256').update(taken).digest('hex') };
}

/** A schema to try: its text, as if it were found at the address, or the file there. */
export type TriedSchema = Pick<SchemaFiles, 'address' | 'vocabularies'> & {
  readonly text: string | undefined;
  readonly options: Omit<ReadOptions, 'warn'>;
  /** What messages call the text. */
  readonly place: string;
};

/** The files of a schema that can be opened. @throws LinkmlError `schema_invalid` */
export const filesOfSchema = inThread(
  async ({
    address,
    text,
    options,
    vocabularies,
    place,
  }: TriedSchema): Promise<Pick<SchemaFiles, 'text' | 'sources'>> => {
    const read = { ...options, terms: termsIn(vocabularies) };
    const schema =
      text === undefined ? await openSchema(address, read) : await openSchemaText(text, address, read, place);
    return { text: schema.text, sources: schema.sources };
  },
);

/** By digest, the schemas that this thread has opened. */
const schemas = new LRUCache<string, Promise<Schema>>({ max: 4 });

/** Nothing is read again, which could have changed. */
function opened({ digest, address, text, sources, vocabularies }: SchemaFiles): Promise<Schema> {
  const known =
    schemas.get(digest) ?? openSchemaText(text, address, { sources, terms: termsIn(vocabularies) });
  schemas.set(digest, known);
  return known;
}

function termsIn(vocabularies: SchemaFiles['vocabularies']) {
  return Object.fromEntries(Object.entries(vocabularies).map(([name, bytes]) => [name, openSnapshot(bytes)]));
}
