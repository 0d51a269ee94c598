/** Writes an export in each format of texts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeYaml } from '#linkml/yaml/write.ts';
import { filePath } from '../../core/formats/record-path.ts';
import { quadsOf } from '../../core/formats/turtle-records.ts';
import type { WrittenText } from '../file-formats.ts';
import type { Writer } from '../module.ts';
import { UsageError } from '../outcome.ts';
import type { Output } from './export-output.ts';
import { documents, type ExportSource, recordTexts, texts, withoutTypeIn } from './export-source.ts';

/** A format that grows record by record: what a file begins with, each record, and what it ends with. */
type GrowingFile = {
  readonly start?: string;
  readonly records: AsyncIterable<string>;
  /** @param index counts from 0 */
  readonly entry: (text: string, index: number) => string;
  readonly end?: (count: number) => string;
};

/** Writes records as they come. @returns their number */
export async function grow(to: Output, format: GrowingFile): Promise<number> {
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
export const WRITERS: Readonly<Record<WrittenText, Writer>> = {
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
