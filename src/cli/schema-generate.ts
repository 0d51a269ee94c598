/** `accession schema typescript`, `json-schema` and the others: writes what is generated from a schema. */
import { writeFileSync } from 'node:fs';
import { openSchema } from '../schema/schema.ts';
import type { Given } from './command.ts';
import { GENERATORS, type GeneratorName } from './offline/generators.ts';
import { write } from './print.ts';

/** Run by the table of commands. */
export async function schemaGenerate(name: GeneratorName, given: Given): Promise<number> {
  const [address = '', className] = given.args;
  const { text, warnings } = GENERATORS[name](await openSchema(address), {
    className,
    references: name === 'shacl' && given.is('references'),
  });
  for (const warning of warnings) process.stderr.write(`accession: ${warning}\n`);
  const file = given.text('output');
  if (file === undefined) await write(text);
  else writeFileSync(file, text);
  return 0;
}
