/** `accession template`: the empty table of a class. */
import { writeFileSync } from 'node:fs';
import { classUnknown } from '../../schema/generate/class-schema.ts';
import { openSchema } from '../../schema/schema.ts';
import { csvTemplate, xlsxTemplate } from '../../tables/template.ts';
import { UsageError } from '../outcome.ts';
import { write } from '../print.ts';
import { fileKind } from './source-files.ts';

type TemplateOptions = { readonly schema: string; readonly output?: string };

export async function template(className: string, options: TemplateOptions): Promise<number> {
  const { output: file } = options;
  const schema = await openSchema(options.schema);
  if (!schema.classes.has(className)) throw classUnknown(schema, className);
  if (file === undefined) {
    await write(csvTemplate(schema, className));
    return 0;
  }
  const kind = fileKind(file);
  if (kind === 'csv') writeFileSync(file, csvTemplate(schema, className));
  else if (kind === 'xlsx') writeFileSync(file, xlsxTemplate(schema, className));
  else throw new UsageError(`--output: expected a file with the suffix .csv or .xlsx, found '${file}'.`);
  return 0;
}
