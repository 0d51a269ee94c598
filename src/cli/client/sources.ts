/** The records of a source of any format but tables, as the JSON texts that are sent. */
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { lines } from '../../client/lines.ts';
import { ServiceError } from '../../errors.ts';
import { recordInJsonLd } from '../../formats/read-json-ld.ts';
import {
  quadDocuments,
  type RecordInGraph,
  recordInTurtle,
  turtleDocuments,
} from '../../formats/turtle/streams.ts';
import type { Schema } from '../../schema/schema.ts';
import type { FileKind } from '../file-formats.ts';
import { classInPath, sourceFiles } from '../offline/source-files.ts';
import { UsageError } from '../outcome.ts';
import { readText } from '../utf8-text.ts';
import { chunksOf } from './import.ts';
import { type RecordSource, textsIn, textsInStream } from './texts.ts';

export type ImportItem = {
  /** The JSON text of the record, or what could not be read. */
  readonly text: string;
  /** The class, if the record does not name it. */
  readonly className?: string | undefined;
  /** Where it is in the source. */
  readonly at: string;
  /** Why it cannot be read. */
  readonly problem?: string;
};

type Context = {
  readonly className: string | undefined;
  readonly schema: () => Promise<Schema>;
  /** Where the service has the JSON-LD context of the schema. */
  readonly contextUrl: string;
};

/** All records of a source, in order. */
export async function* importItems(
  format: FileKind,
  source: string,
  context: Context,
): AsyncGenerator<ImportItem> {
  const { className } = context;
  if (source !== '-' && statSync(source).isDirectory()) {
    yield* folderItems(source, context);
    return;
  }
  if (format === 'ttl' || format === 'nq') {
    const schema = await context.schema();
    const documents = (format === 'ttl' ? turtleDocuments : quadDocuments)(lines(chunksOf(source)));
    let count = 0;
    for await (const document of documents) {
      count += 1;
      const at = `document ${count}`;
      yield await itemOf({ text: document, at }, 'Turtle', () => recordInTurtle(document, schema));
    }
    return;
  }
  if (format === 'jsonld') {
    const schema = await context.schema();
    for await (const item of textsInStream(chunksOf(source))) {
      const read = () => recordInJsonLd(item.text, schema, context.contextUrl);
      yield { className, ...(await itemOf(item, 'JSON-LD', read)) };
    }
    return;
  }
  if (format === 'ndjson') {
    let count = 0;
    for await (const text of lines(chunksOf(source))) {
      count += 1;
      yield { text, className, at: `line ${count}` };
    }
    return;
  }
  if (format === 'json') {
    for await (const item of textsInStream(chunksOf(source))) yield { ...item, className };
    return;
  }
  const content = (await Array.fromAsync(chunksOf(source))).join('');
  for (const item of textsIn(format, content)) yield { ...item, className };
}

/** The item of a document, or why it cannot be read. */
async function itemOf(
  { text, at }: RecordSource,
  expected: string,
  read: () => RecordInGraph | Promise<RecordInGraph>,
): Promise<ImportItem> {
  try {
    return { ...(await read()), at };
  } catch (error) {
    const isOurs = error instanceof ServiceError;
    const message = (error as Error).message;
    return { text: JSON.stringify(text), at, problem: isOurs ? message : `Expected ${expected}: ${message}` };
  }
}

/** The files of a folder; folders are named for classes, as in a record directory. */
async function* folderItems(folder: string, { className, schema }: Context): AsyncGenerator<ImportItem> {
  const { recordClasses } = await schema();
  for (const { path, kind } of sourceFiles(folder)) {
    if (kind !== 'yaml' && kind !== 'json' && kind !== 'ndjson') continue;
    const at = relative(folder, path);
    const of = className ?? classInPath(at, (name) => recordClasses.includes(name));
    let text = '';
    try {
      text = readText(path);
      for (const item of textsIn(kind, text)) yield { text: item.text, className: of, at };
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof ServiceError)) throw error;
      yield { text: JSON.stringify(text), className: of, at, problem: error.message };
    }
  }
}
