/** Writes an export in each format. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { csvRow } from '../../formats/csv.ts';
import { MOST_ROWS } from '../../formats/table.ts';
import { quadsOf } from '../../formats/turtle/streams.ts';
import { filePath } from '../../peer/file-names.ts';
import { classUnknown } from '../../schema/generate/class-schema.ts';
import { columnsOf, headerOf } from '../../modules/tables/columns.ts';
import { writeRow } from '../../modules/tables/rows.ts';
import { columnHelp } from '../../modules/tables/template.ts';
import { type SheetText, writeXlsx } from '../../modules/tables/xlsx-write.ts';
import { writeYaml } from '../../yaml/write.ts';
import type { WrittenKind } from '../file-formats.ts';
import { UsageError } from '../outcome.ts';
import { countText } from '../print.ts';
import type { Output } from './export-output.ts';
import { documents, type ExportSource, recordTexts, texts, withoutTypeIn } from './export-source.ts';

/** A workbook is in memory. An import takes no larger one. */
const MOST_WORKBOOK_CHARACTERS = 32 * 1024 * 1024;

type Writer = (source: ExportSource, to: Output) => Promise<number>;

/** A format that grows record by record: what a file begins with, each record, and what it ends with. */
type GrowingFile = {
  readonly start?: string;
  readonly records: AsyncIterable<string>;
  /** @param index counts from 0 */
  readonly entry: (text: string, index: number) => string;
  readonly end?: (count: number) => string;
};

async function grow(to: Output, format: GrowingFile): Promise<number> {
  let count = 0;
  if (format.start !== undefined) await to.write(format.start);
  for await (const text of format.records) {
    await to.write(format.entry(text, count));
    count += 1;
  }
  if (format.end) await to.write(format.end(count));
  return count;
}

/** Writes all records, and returns their number. */
export const WRITERS: Readonly<Record<WrittenKind, Writer>> = {
  ndjson: (source, to) => grow(to, { records: texts(source), entry: (text) => `${text}\n` }),
  json: (source, to) =>
    grow(to, {
      records: texts(source),
      entry: (text, index) => `${index === 0 ? '[' : ','}\n${text}`,
      end: (count) => (count === 0 ? '[]\n' : '\n]\n'),
    }),
  ttl: (source, to) =>
    grow(to, {
      records: documents(allClasses(source, 'Turtle')),
      entry: (document) => `${document}\n\n`,
    }),
  nq: (source, to) => grow(to, { records: documents(allClasses(source, 'N-Quads')), entry: quadsOf }),
  async csv(source, to) {
    const { className } = source;
    if (className === undefined)
      throw new UsageError('A CSV file has the records of one class: use --class.');
    const schema = await source.schema();
    if (!schema.classes.has(className)) throw classUnknown(schema, className);
    const columns = columnsOf(schema, className);
    let left = 0;
    const isLeft = (of: string) => {
      if (of !== className) left += 1;
      return of !== className;
    };
    const count = await grow(to, {
      start: csvRow(columns.map(headerOf)),
      records: texts(source, isLeft),
      entry: (text) => csvRow(writeRow(withoutTypeIn(text), columns)),
    });
    if (left > 0)
      process.stderr.write(
        `${countText(left, 'record')} of subclasses of ${className} left out: a CSV file has one class. Export to XLSX, or each class.\n`,
      );
    return count;
  },
  async xlsx(source, to) {
    const schema = await source.schema();
    const rows = new Map<string, string[][]>();
    let count = 0;
    let characters = 0;
    for await (const { text, className } of recordTexts(source)) {
      const ofClass = rows.get(className) ?? [];
      rows.set(className, ofClass);
      ofClass.push(writeRow(withoutTypeIn(text), columnsOf(schema, className)));
      count += 1;
      characters += text.length;
      if (ofClass.length >= MOST_ROWS || characters > MOST_WORKBOOK_CHARACTERS)
        throw new UsageError('The records are too many for one workbook. Export to CSV.');
    }
    if (count === 0 && source.className !== undefined) rows.set(source.className, []);
    const sheets = [...rows].map(([name, ofClass]): SheetText => {
      const columns = columnsOf(schema, name);
      return { name, rows: [columns.map(headerOf), ...ofClass], columns: columns.map(columnHelp) };
    });
    await to.write(writeXlsx(sheets));
    return count;
  },
  async yaml(source, { folder = '' }) {
    let count = 0;
    for await (const { text, className } of recordTexts(source)) {
      const record = withoutTypeIn(text);
      const file = join(folder, filePath('digest-md5', className, String(record.pid)));
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, writeYaml(record));
      count += 1;
    }
    return count;
  },
};

function allClasses(source: ExportSource, format: string): ExportSource {
  if (source.className !== undefined) throw new UsageError(`--class does not go with ${format}.`);
  return source;
}
