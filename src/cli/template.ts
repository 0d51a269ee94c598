/** `accession template`: the empty table of a class. */
import { writeFileSync } from 'node:fs';
import { classUnknown } from '../schema/generate/class-schema.ts';
import { openSchema } from '../schema/schema.ts';
import { csvTemplate, xlsxTemplate } from '../tables/template.ts';
import { type Given, UsageError } from './command.ts';
import { fileKind } from './offline/source-files.ts';
import { write } from './print.ts';

/** Run by the table of commands. */
export async function template(given: Given): Promise<number> {
  const [className = ''] = given.args;
  const schema = await openSchema(given.text('schema') as string);
  if (!schema.classes.has(className)) throw classUnknown(schema, className);
  const file = given.text('output');
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
