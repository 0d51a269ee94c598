/** `accession template`: the empty table of a class. */
import { writeFileSync } from 'node:fs';
import { classUnknown } from '#linkml/generate/class-schema.ts';
import { serviceOf } from '../../../cli/client/target.ts';
import { fileKind } from '../../../cli/file-formats.ts';
import { prepareFile } from '../../../cli/new-file.ts';
import { UsageError } from '../../../cli/outcome.ts';
import { write } from '../../../cli/print.ts';
import { openSchema } from '../../../core/schema/schema.ts';
import { tables } from '../client.ts';
import { csvTemplate, xlsxTemplate } from '../rows/template.ts';
import { TABLE_FORMATS } from './reading.ts';

type TemplateOptions = {
  readonly url?: string;
  readonly schema?: string;
  readonly output?: string;
  readonly overwrite?: boolean;
};

export async function template(names: readonly string[], options: TemplateOptions): Promise<number> {
  const { output: file } = options;
  const kind = file === undefined ? 'csv' : fileKind(file, TABLE_FORMATS);
  if (kind !== 'csv' && kind !== 'xlsx')
    throw new UsageError(`--output: expected a file with the suffix .csv or .xlsx, found '${file}'.`);
  prepareFile(file, options.overwrite);
  const table = await (options.schema === undefined
    ? fromService(names, kind, options.url)
    : fromSchema(names, kind, options.schema));
  if (file === undefined) await write(table);
  else writeFileSync(file, table);
  return 0;
}

async function fromSchema(names: readonly string[], kind: 'csv' | 'xlsx', address: string) {
  const [className = '', ...more] = names;
  if (more.length > 0) throw new UsageError(`Expected one class of the schema, found ${names.join(', ')}.`);
  const schema = await openSchema(address);
  if (!schema.classes.has(className)) throw classUnknown(schema, className);
  return kind === 'csv' ? csvTemplate(schema, className) : xlsxTemplate(schema, className);
}

async function fromService(names: readonly string[], kind: 'csv' | 'xlsx', url: string | undefined) {
  const [collection, className, ...more] = names;
  if (collection === undefined || className === undefined || more.length > 0)
    throw new UsageError('Expected a collection and a class, or a class and --schema.');
  const table = await serviceOf(url).collection(collection).use(tables).template(className, kind);
  return new Uint8Array(await table.arrayBuffer());
}
