/** The records that an export writes. */

import { classUnknown } from '#linkml/generate/class-schema.ts';
import type { JsonObject } from '#linkml/json.ts';
import type { AreaClient } from '../../client/client.ts';
import { lines } from '../../client/lines.ts';
import { turtleDocuments } from '../../core/formats/turtle-records.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { classNamedIn, schemaTypeIn, withoutType } from '../../core/schema-type.ts';
import type { Progress } from '../progress.ts';
import { recordIn } from './records.ts';

export type ExportSource = {
  readonly area: AreaClient;
  readonly matching: string | undefined;
  readonly className: string | undefined;
  /** The schema of the collection, opened when it is needed. */
  readonly schema: () => Promise<Schema>;
  readonly progress: Progress;
};

/**
 * The records of the area as JSON texts, those of one class and its subclasses if one is given.
 *
 * @param isLeft whether a record of a subclass is left out
 */
export async function* texts(
  { area, matching, className, schema, progress }: ExportSource,
  isLeft: (className: string) => boolean = () => false,
): AsyncGenerator<string> {
  const known = className === undefined ? undefined : await schema();
  if (known && !known.classes.has(className as string)) throw classUnknown(known, className as string);
  const wanted = new Set(known?.descendants(className as string));
  for await (const text of area.exportLines({ matching })) {
    progress.advance(1);
    const of = known && classOfText(text, known);
    if (of === undefined || (wanted.has(of) && !isLeft(of))) yield text;
  }
}

/** The texts of the records that are exported, each with its class. */
export async function* recordTexts(
  source: ExportSource,
): AsyncGenerator<{ readonly text: string; readonly className: string }> {
  const schema = await source.schema();
  for await (const text of texts(source)) yield { text, className: classOfText(text, schema) };
}

/** The records as Turtle documents. */
export async function* documents({ area, matching, progress }: ExportSource): AsyncGenerator<string> {
  const all = lines(area.exportTurtle({ matching }));
  for await (const text of turtleDocuments(all, { areWhole: true })) {
    progress.advance(1);
    yield text;
  }
}

function classOfText(text: string, schema: Schema): string {
  const record = recordIn(text);
  return classNamedIn(schema, record) ?? String(schemaTypeIn(record) ?? '');
}

/** The object of a record without its class, as files in folders and tables have it. */
export function withoutTypeIn(text: string): JsonObject {
  return withoutType(recordIn(text));
}
