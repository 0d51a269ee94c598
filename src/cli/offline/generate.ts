/** `accession schema generate`: types, schemas, shapes and forms from a LinkML schema. */

import { classUnknown } from '#linkml/generate/class-schema.ts';
import { describeClass } from '#linkml/generate/form.ts';
import { wholeJsonSchema } from '#linkml/generate/json-schema.ts';
import { jsonldContext } from '#linkml/generate/jsonld-context.ts';
import { typescriptTypes } from '#linkml/generate/typescript.ts';
import type { JsonValue } from '#linkml/json.ts';
import type { LinkmlSchema } from '#linkml/linkml.ts';
import { shaclShapes } from '#linkml/turtle/shacl/shacl.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { UsageError } from '../outcome.ts';
import { writeTo } from '../print.ts';

type GenerateOptions = { readonly output?: string; readonly references?: boolean };

/** Writes the result; the parts of the schema that it leaves out are listed on standard error. */
export async function generate(
  name: keyof typeof GENERATORS,
  address: string,
  className: string | undefined,
  { output, references }: GenerateOptions,
): Promise<number> {
  if (className !== undefined && name !== 'json-schema' && name !== 'form')
    throw new UsageError(`${name} is generated from all classes, and not from one.`);
  if (references && name !== 'shacl') throw new UsageError('--references is an option of shacl.');
  const schema = await openSchema(address);
  if (className !== undefined && !schema.classes.has(className)) throw classUnknown(schema, className);
  const { text, warnings } = GENERATORS[name](schema, { className, references: references === true });
  for (const warning of warnings) process.stderr.write(`accession: ${warning}\n`);
  await writeTo(output, text);
  return 0;
}

type GeneratedFile = {
  readonly text: string;
  /** The parts of the schema that the result leaves out. */
  readonly warnings: readonly string[];
};

type Options = {
  /** The class to generate for, where one can be named. */
  readonly className: string | undefined;
  /** Whether shapes demand the objects that are referred to. */
  readonly references: boolean;
};

export const GENERATORS = {
  typescript: (schema) => complete(typescriptTypes(schema)),
  'json-schema': (schema, { className }) =>
    complete(indented(className === undefined ? wholeJsonSchema(schema) : schema.jsonSchema(className))),
  'jsonld-context': (schema) => {
    const { context, warnings } = jsonldContext(schema);
    return { text: indented(context), warnings };
  },
  shacl: (schema, { references }) => {
    const { turtle, warnings } = shaclShapes(schema, { references });
    return { text: turtle, warnings };
  },
  form: (schema, { className }) => {
    if (className !== undefined) return complete(indented(describeClass(schema, className)!));
    return complete(indented([...schema.classes.keys()].map((name) => describeClass(schema, name)!)));
  },
} as const satisfies Record<string, (schema: LinkmlSchema, options: Options) => GeneratedFile>;

function complete(text: string): GeneratedFile {
  return { text, warnings: [] };
}

function indented(value: JsonValue): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
