/** Writes an export in each format. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quadsOf } from '../../formats/turtle/streams.ts';
import { filePath } from '../../peer/file-names.ts';
import { columnsOf, headerOf } from '../../tables/columns.ts';
import { csvRow } from '../../tables/csv.ts';
import { writeRow } from '../../tables/rows.ts';
import { columnHelp } from '../../tables/template.ts';
import { openWorkbook } from '../../tables/xlsx-stream.ts';
import { writeYaml } from '../../yaml/write.ts';
import { UsageError } from '../outcome.ts';
import type { Format } from './commands.ts';
import type { Output } from './export-output.ts';
import {
  documents,
  type ExportedText,
  type ExportSource,
  recordTexts,
  texts,
  withoutTypeIn,
} from './export-source.ts';

type Writer = (source: ExportSource, to: Output, path: string | undefined) => Promise<number>;

/** A format that grows record by record: what a file begins with, each record, and what it ends with. */
type Growing = {
  readonly start?: string;
  readonly records: AsyncIterable<ExportedText>;
  /** @param index counts from 0 */
  readonly entry: (text: string, index: number) => string;
  readonly end?: (count: number) => string;
};

async function grow({ from }: ExportSource, to: Output, format: Growing): Promise<number> {
  let { count } = from;
  if (count === 0 && format.start !== undefined) await to.write(format.start);
  for await (const { text, count: reached, position } of format.records) {
    await to.write(format.entry(text, count), position);
    count = reached;
  }
  if (format.end) await to.write(format.end(count));
  return count;
}

/** Writes all records, and returns their number. */
export const WRITERS: Readonly<Record<Format, Writer>> = {
  ndjson: (source, to) => grow(source, to, { records: texts(source), entry: (text) => `${text}\n` }),
  json: (source, to) =>
    grow(source, to, {
      records: texts(source),
      entry: (text, index) => `${index === 0 ? '[' : ','}\n${text}`,
      end: (count) => (count === 0 ? '[]\n' : '\n]\n'),
    }),
  ttl: (source, to) =>
    grow(source, to, {
      records: documents(allClasses(source, 'Turtle')),
      entry: (document) => `${document}\n\n`,
    }),
  nq: (source, to) => grow(source, to, { records: documents(allClasses(source, 'N-Quads')), entry: quadsOf }),
  async csv(source, to) {
    const { className } = source;
    if (className === undefined)
      throw new UsageError('A CSV file has the records of one class: use --class.');
    const columns = columnsOf(await source.schema(), className);
    return grow(source, to, {
      start: csvRow(columns.map(headerOf)),
      records: texts(source),
      entry: (text) => csvRow(writeRow(withoutTypeIn(text), columns)),
    });
  },
  /** A workbook is packed when all rows are known, so an interrupted one starts over. */
  async xlsx(source, to) {
    const schema = await source.schema();
    const workbook = openWorkbook();
    try {
      let count = 0;
      for await (const { text, className } of recordTexts(source)) {
        const columns = columnsOf(schema, className);
        const sheet = workbook.sheet(className, () => ({
          header: columns.map(headerOf),
          columns: columns.map(columnHelp),
        }));
        sheet.add(writeRow(withoutTypeIn(text), columns));
        count += 1;
      }
      if (count === 0 && source.className !== undefined)
        workbook.sheet(source.className, () => ({ header: [], columns: [] }));
      await workbook.pack((bytes) => to.write(bytes));
      return count;
    } finally {
      workbook.close();
    }
  },
  async yaml(source, to, path = '') {
    let { count } = source.from;
    for await (const { text, className, count: reached, position } of recordTexts(source)) {
      const record = withoutTypeIn(text);
      const file = join(path, filePath('digest-md5', className, String(record.pid)));
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, writeYaml(record));
      await to.write('', position);
      count = reached;
    }
    return count;
  },
};

function allClasses(source: ExportSource, format: string): ExportSource {
  if (source.className !== undefined) throw new UsageError(`--class does not go with ${format}.`);
  return source;
}
