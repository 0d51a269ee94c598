/** The records of a source of any format but tables, as the JSON texts that are sent. */
import { readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { lines } from '../../client/lines.ts';
import { ServiceError } from '../../errors.ts';
import { quadDocuments, recordInTurtle, turtleDocuments } from '../../formats/turtle/streams.ts';
import type { Schema } from '../../schema/schema.ts';
import { classInPath, sourceFiles } from '../offline/source-files.ts';
import { UsageError } from '../outcome.ts';
import type { Format } from './commands.ts';
import { chunksOf } from './import.ts';
import { textsIn, textsInStream } from './texts.ts';

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

type Context = { readonly className: string | undefined; readonly schema: () => Promise<Schema> };

/** All records of a source, in order. */
export async function* importItems(
  format: Format,
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
      yield turtleItem(document, schema, `document ${count}`);
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

function turtleItem(document: string, schema: Schema, at: string): ImportItem {
  try {
    return { ...recordInTurtle(document, schema), at };
  } catch (error) {
    const isOurs = error instanceof ServiceError;
    const message = (error as Error).message;
    return { text: JSON.stringify(document), at, problem: isOurs ? message : `Expected Turtle: ${message}` };
  }
}

/** The files of a folder; folders are named for classes, as in a record directory. */
async function* folderItems(folder: string, { className, schema }: Context): AsyncGenerator<ImportItem> {
  const { recordClasses } = await schema();
  for (const { path, kind } of sourceFiles(folder)) {
    if (kind !== 'yaml' && kind !== 'json' && kind !== 'ndjson') continue;
    const at = relative(folder, path);
    const of = className ?? classInPath(at, (name) => recordClasses.includes(name));
    const text = readFileSync(path, 'utf8');
    try {
      for (const item of textsIn(kind, text)) yield { text: item.text, className: of, at };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      yield { text: JSON.stringify(text), className: of, at, problem: error.message };
    }
  }
}
