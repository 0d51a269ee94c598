/** Commands of stewards: on files, without a server. */
import { SCHEMA_TYPE } from '../../schema-type.ts';
import { type Argument, type Command, type Flag, jsonFlag } from '../command.ts';
import type { GeneratorName } from '../offline/generators.ts';

const schema: Flag = { type: 'string', value: 'SCHEMA', help: 'a LinkML schema: a path or URL' };

const address: Argument = { name: 'SCHEMA', help: 'a path or URL' };

const vocabulary: Flag = {
  type: 'string',
  multiple: true,
  value: 'NAME=FILE',
  help: 'a vocabulary that enums of the schema name: a snapshot, or a source',
};

const sourceFormat: Flag = {
  type: 'string',
  choices: ['obograph', 'skos', 'csv'],
  help: 'the format of the source; by default that of its suffix: .json, .ttl, .csv',
};

const output: Flag = {
  type: 'string',
  short: 'o',
  value: 'FILE',
  help: 'a file; without it, the result is printed',
};

/** A command that writes what is generated from a schema. */
function generating(
  name: GeneratorName,
  summary: string,
  example: string,
  { about, ofClass = false, flags = {} }: Pick<Command, 'about' | 'flags'> & { ofClass?: boolean } = {},
): Command {
  const named = { name: 'CLASS', optional: true, help: 'a class of the schema; without it, all classes' };
  return {
    name: `schema ${name}`,
    group: 'stewards',
    summary,
    about,
    args: ofClass ? [address, named] : [address],
    flags: { ...flags, output },
    example,
    run: async (given) => (await import('../schema-generate.ts')).schemaGenerate(name, given),
  };
}

export const STEWARD_COMMANDS: readonly Command[] = [
  {
    name: 'validate',
    group: 'stewards',
    summary: 'check records with the verdicts of the service',
    about:
      `The class of a record is that of --class, else of the folder on its path that is named for a class, else of its ${SCHEMA_TYPE}. ` +
      'The schema is that of --schema, else the one that a .dumpthings.yaml in the folder or above names. ' +
      'With --strict, --identifiers or --slot, objects of any class are checked against the schema alone, as linkml-validate does. ' +
      'Files below a folder invalid must have problems.',
    args: [
      {
        name: 'PATH',
        repeated: true,
        help: 'files (YAML, JSON, NDJSON, Turtle, CSV, XLSX), folders, store directories; - for standard input',
      },
    ],
    flags: {
      schema: { ...schema, short: 's' },
      class: { type: 'string', short: 'C', value: 'CLASS', help: 'the class of all records' },
      slot: { type: 'string', value: 'SLOT', help: 'validate values of this slot of the class' },
      vocabulary,
      strict: { type: 'boolean', help: 'accept no "5" for an integer; see linkml-validate' },
      identifiers: {
        type: 'string',
        choices: ['resolve', 'any'],
        help: 'whether identifiers need a known prefix, or may be any strings',
      },
      format: {
        type: 'string',
        short: 'f',
        choices: ['people', 'json', 'github', 'sarif'],
        default: 'people',
        help: 'the format of the problems',
      },
      input: {
        type: 'string',
        choices: ['json', 'ndjson', 'yaml', 'ttl'],
        help: 'the format of standard input (json)',
      },
    },
    example: 'accession validate --schema schema.yaml records/',
    run: async (given) => (await import('../validate.ts')).validate(given),
  },
  {
    name: 'template',
    group: 'stewards',
    summary: 'write an empty table of a class, to be filled in and imported',
    args: [{ name: 'CLASS', help: 'a class of the schema' }],
    flags: {
      schema: { ...schema, help: 'the LinkML schema of the class: a path or URL', required: true },
      output: {
        type: 'string',
        short: 'o',
        value: 'FILE',
        help: 'a .csv or .xlsx file; without it, CSV is printed',
      },
    },
    example: 'accession template Person --schema schema.yaml -o persons.xlsx',
    run: async (given) => (await import('../template.ts')).template(given),
  },
  {
    name: 'schema check',
    group: 'stewards',
    summary: 'list what of a schema is not enforced, not described, or not used, and its classes',
    args: [address],
    flags: { json: jsonFlag },
    example: 'accession schema check schema.yaml',
    run: async (given) => (await import('../schema-commands.ts')).schemaCheck(given),
  },
  {
    name: 'schema merge',
    group: 'stewards',
    summary: 'write a schema and all that it imports as one file, which gives the same verdicts',
    args: [address],
    flags: { output },
    example: 'accession schema merge https://example.org/schema.yaml -o merged.yaml',
    run: async (given) => (await import('../schema-commands.ts')).schemaMerge(given),
  },
  {
    name: 'schema show',
    group: 'stewards',
    summary: 'list the classes of a schema, or the slots of a class with all that it inherits',
    args: [address, { name: 'CLASS', optional: true, help: 'a class of the schema' }],
    flags: { json: jsonFlag },
    example: 'accession schema show schema.yaml Person',
    run: async (given) => (await import('../schema-commands.ts')).schemaShow(given),
  },
  generating(
    'typescript',
    'write the types of the records of a schema as TypeScript',
    'accession schema typescript schema.yaml -o records.ts',
  ),
  generating(
    'json-schema',
    'write a schema, or one class, as JSON Schema 2020-12',
    'accession schema json-schema schema.yaml Person -o person.schema.json',
    { ofClass: true },
  ),
  generating(
    'jsonld-context',
    'write the JSON-LD 1.1 context with which records are the graph of their Turtle',
    'accession schema jsonld-context schema.yaml -o context.jsonld',
    { about: 'Slots whose values a context cannot express as in Turtle are listed on standard error.' },
  ),
  generating(
    'shacl',
    'write SHACL shapes that the Turtle of records conforms to',
    'accession schema shacl schema.yaml -o shapes.ttl',
    {
      about: 'What the schema demands and the shapes do not is listed on standard error.',
      flags: {
        references: {
          type: 'boolean',
          help: 'demand that referenced records are in the graph, with a class of the slot',
        },
      },
    },
  ),
  generating(
    'form',
    'write the description of classes that the forms of the desk are made from, as JSON',
    'accession schema form schema.yaml Person',
    { ofClass: true },
  ),
  {
    name: 'schema diff',
    group: 'stewards',
    summary: 'list what differs between two schemas, what may break records first',
    about:
      'The status is 2 if a change may break records. `accession rehearse` reports which records of a store.',
    args: [
      { name: 'FROM', help: 'a path or URL' },
      { name: 'TO', help: 'a path or URL' },
    ],
    flags: { json: jsonFlag },
    example: 'accession schema diff schema.yaml new-schema.yaml',
    run: async (given) => (await import('../schema-diff.ts')).schemaDiff(given),
  },
  {
    name: 'vocabulary add',
    group: 'stewards',
    summary: 'make a snapshot of an ontology, a thesaurus or a table of terms',
    args: [{ name: 'SOURCE', help: 'a path or URL; OBO Graphs in JSON, SKOS in Turtle, CSV; also .gz' }],
    flags: {
      output: { ...output, help: 'the file of the snapshot', required: true },
      format: sourceFormat,
      json: jsonFlag,
    },
    example: 'accession vocabulary add http://purl.obolibrary.org/obo/cl.json -o cl.terms',
    run: async (given) => (await import('../vocabulary.ts')).vocabularyAdd(given),
  },
  {
    name: 'vocabulary refresh',
    group: 'stewards',
    summary: 'make a snapshot again, and list terms that are gone, obsolete or relabeled',
    args: [{ name: 'FILE', help: 'a snapshot' }],
    flags: {
      from: { type: 'string', value: 'SOURCE', help: 'another path or URL than the last time' },
      format: sourceFormat,
      'dry-run': { type: 'boolean', short: 'n', help: 'list the changes only' },
      json: jsonFlag,
    },
    example: 'accession vocabulary refresh cl.terms --dry-run',
    run: async (given) => (await import('../vocabulary.ts')).vocabularyRefresh(given),
  },
  {
    name: 'vocabulary check',
    group: 'stewards',
    summary: 'describe snapshots, or list what a schema asks of them in vain',
    about: 'With --schema, the status is 2 if an element of the schema is not enforced.',
    args: [{ name: 'NAME=FILE', repeated: true, help: 'snapshots, or sources' }],
    flags: { schema: { ...schema, short: 's' }, json: jsonFlag },
    example: 'accession vocabulary check cl.terms --schema schema.yaml',
    run: async (given) => (await import('../vocabulary.ts')).vocabularyCheck(given),
  },
  {
    name: 'rehearse',
    group: 'stewards',
    summary: 'report what another schema would mean for the records of a store; changes nothing',
    about: 'The service may run meanwhile. The status is 2 if records would no longer fit.',
    args: [{ name: 'STORE', help: 'a store directory' }],
    flags: {
      schema: { ...schema, help: 'the new LinkML schema: a path or URL', required: true },
      collection: { type: 'string', value: 'NAME', help: 'only this collection' },
      json: { type: 'boolean', help: 'print one JSON object a line, for every record' },
    },
    example: 'accession rehearse data --schema new-schema.yaml --collection lab',
    run: async (given) => (await import('../rehearse.ts')).rehearse(given),
  },
  {
    name: 'diff',
    group: 'stewards',
    summary: 'list the records that differ between two stores, a store and a folder, or two revisions',
    args: [
      { name: 'A', help: 'a store directory, STORE@REVISION, a folder or file of records' },
      { name: 'B', help: 'another one' },
    ],
    flags: {
      collection: { type: 'string', value: 'NAME', help: 'the collection, if a store has several' },
      incoming: {
        type: 'string',
        short: 'i',
        value: 'LABEL',
        help: 'the zone; without it, the curated area',
      },
      json: { type: 'boolean', help: 'print one JSON object a line' },
    },
    example: 'accession diff data@100 data',
    run: async (given) => (await import('../diff.ts')).diff(given),
  },
];
