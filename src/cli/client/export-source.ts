/** The records that an export writes. */
import type { AreaClient } from '../../client/client.ts';
import { lines } from '../../client/lines.ts';
import { turtleDocuments } from '../../formats/turtle/streams.ts';
import type { JsonObject } from '../../json.ts';
import { classUnknown } from '../../schema/generate/class-schema.ts';
import type { Schema } from '../../schema/schema.ts';
import { classNamedIn, schemaTypeIn, withoutType } from '../../schema-type.ts';
import type { Progress } from '../progress.ts';
import type { Position } from './export-output.ts';
import { pidInText, recordIn } from './records.ts';

export type ExportSource = {
  readonly area: AreaClient;
  readonly matching: string | undefined;
  readonly className: string | undefined;
  /** The schema of the collection, opened when it is needed. */
  readonly schema: () => Promise<Schema>;
  readonly progress: Progress;
  /** Where the export begins. */
  readonly from: Position;
};

/** A record, and where the export is when it is written. */
export type ExportedText = {
  readonly text: string;
  readonly count: number;
  readonly position: () => Position;
};

/**
 * The records of the area as JSON texts, those of one class and its subclasses if one is given.
 *
 * @param isLeft whether a record of a subclass is left out
 */
export async function* texts(
  source: ExportSource,
  isLeft: (className: string) => boolean = () => false,
): AsyncGenerator<ExportedText> {
  const { area, matching, className, schema, progress, from } = source;
  const known = className === undefined ? undefined : await schema();
  if (known && !known.classes.has(className as string)) throw classUnknown(known, className as string);
  const wanted = new Set(known?.descendants(className as string));
  let { count } = from;
  for await (const text of area.exportLines({ matching, after: from.after })) {
    progress.advance(1);
    const of = known && classOfText(text, known);
    if (of !== undefined && (!wanted.has(of) || isLeft(of))) continue;
    count += 1;
    const reached = count;
    yield { text, count, position: () => ({ count: reached, after: pidInText(text) }) };
  }
}

/** The same with the class of each. */
export async function* recordTexts(
  source: ExportSource,
): AsyncGenerator<ExportedText & { className: string }> {
  const schema = await source.schema();
  for await (const found of texts(source)) yield { ...found, className: classOfText(found.text, schema) };
}

/** The records as Turtle documents. The pid in a document is not looked for: its number leads to it. */
export async function* documents(source: ExportSource): AsyncGenerator<ExportedText> {
  const { area, matching, progress, from } = source;
  const after = from.count === 0 ? undefined : await pidAt(source, from.count);
  let { count } = from;
  for await (const text of turtleDocuments(lines(area.exportTurtle({ matching, after })), {
    areWhole: true,
  })) {
    progress.advance(1);
    count += 1;
    const reached = count;
    yield { text, count, position: () => ({ count: reached, after: undefined }) };
  }
}

/** The pid of the record with a number, from 1. */
async function pidAt({ area, matching }: ExportSource, number: number): Promise<string | undefined> {
  const { items } = await area.page({ matching, page: number, size: 1 });
  return typeof items[0]?.pid === 'string' ? items[0].pid : undefined;
}

function classOfText(text: string, schema: Schema): string {
  const record = recordIn(text);
  return classNamedIn(schema, record) ?? String(schemaTypeIn(record) ?? '');
}

/** The object of a record without its class, as files in folders and tables have it. */
export function withoutTypeIn(text: string): JsonObject {
  return withoutType(recordIn(text));
}
