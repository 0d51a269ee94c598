/** What `accession schema` generates from a schema, by the name of its command. */
import { shaclShapes } from '../../formats/turtle/shacl/shacl.ts';
import type { JsonValue } from '../../json.ts';
import { classUnknown } from '../../schema/generate/class-schema.ts';
import { describeClass } from '../../schema/generate/form.ts';
import { wholeJsonSchema } from '../../schema/generate/json-schema.ts';
import { jsonldContext } from '../../schema/generate/jsonld-context.ts';
import { typescriptTypes } from '../../schema/generate/typescript.ts';
import type { LinkmlSchema } from '../../schema/linkml.ts';

export type Generated = {
  readonly text: string;
  /** What of the schema the result leaves out. */
  readonly warnings: readonly string[];
};

export type GeneratorOptions = {
  /** The class to generate for, where one can be named. */
  readonly className: string | undefined;
  /** Whether shapes demand the objects that are referred to. */
  readonly references: boolean;
};

export type Generator = (schema: LinkmlSchema, options: GeneratorOptions) => Generated;

export const GENERATORS = {
  typescript: (schema) => complete(typescriptTypes(schema)),
  'json-schema': (schema, { className }) => {
    if (className === undefined) return complete(indented(wholeJsonSchema(schema)));
    if (!schema.classes.has(className)) throw classUnknown(schema, className);
    return complete(indented(schema.jsonSchema(className)));
  },
  'jsonld-context': (schema) => {
    const { context, warnings } = jsonldContext(schema);
    return { text: indented(context), warnings };
  },
  shacl: (schema, { references }) => {
    const { turtle, warnings } = shaclShapes(schema, { references });
    return { text: turtle, warnings };
  },
  form: (schema, { className }) => {
    if (className !== undefined && !schema.classes.has(className)) throw classUnknown(schema, className);
    const names = className === undefined ? [...schema.classes.keys()] : [className];
    const classes = names.map((name) => describeClass(schema, name)!);
    return complete(indented(className === undefined ? classes : classes[0]!));
  },
} satisfies Readonly<Record<string, Generator>>;

export type GeneratorName = keyof typeof GENERATORS;

function complete(text: string): Generated {
  return { text, warnings: [] };
}

function indented(value: JsonValue): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
