/** The commands that read files, without a service. */
import { SCHEMA_TYPE } from '../../core/schema-type.ts';
import { addCommand, addGroup, type Command, choice, collectValues, runs } from '../command.ts';
import { allFormats } from '../file-formats.ts';
import type { ModuleFiles, OpenToRead } from '../module.ts';
import { MODULES } from '../modules.ts';

/** The generators, by name: their code is loaded when one runs. */
export const GENERATED = ['typescript', 'json-schema', 'jsonld-context', 'shacl', 'form'] as const;

const TEXT_KINDS = ['json', 'ndjson', 'yaml', 'ttl', 'jsonld', 'nq'] as const;
const OUTPUT = ['-o, --output <file>', 'a file; without it, the result is printed'] as const;
const JSON_OUTPUT = ['--json', 'print JSON'] as const;

/** @param files formats of files that modules add */
export function addOfflineCommands(program: Command, files: readonly ModuleFiles[]): void {
  const titles = Object.values(allFormats(files)).map(({ title }) => title);
  const validate = addCommand(
    program,
    'validate',
    'Check records with the verdicts of the service. ' +
      `The class of a record is that of --class, else of the folder on its path that is named for a class, else of its ${SCHEMA_TYPE}. ` +
      'The schema is that of --schema, else the one that a .dumpthings.yaml in the folder or above names. ' +
      'With --strict, --identifiers or --slot, objects of any class are checked against the schema alone, as linkml-validate does. ' +
      'Files below a folder invalid must have problems.',
    'accession validate --schema schema.yaml records/',
  );
  validate
    .argument('<path...>', `files (${titles.join(', ')}), folders, store directories; - for standard input`)
    .option('-s, --schema <schema>', 'a LinkML schema: a path or URL')
    .option('-C, --class <class>', 'the class of all records')
    .option('--slot <slot>', 'validate values of this slot of the class')
    .option(
      '--vocabulary <name=file>',
      'a vocabulary that enums of the schema name: a snapshot, or a source; may be repeated',
      collectValues,
    )
    .option('--strict', 'accept no "5" for an integer; see linkml-validate')
    .addOption(
      choice('--identifiers <rule>', 'whether identifiers need a known prefix, or may be any strings', [
        'resolve',
        'any',
      ]),
    )
    .addOption(
      choice('-f, --format <format>', 'the format of the problems', ['people', 'json', 'github']).default(
        'people',
      ),
    )
    .addOption(choice('--input <format>', 'the format of standard input', TEXT_KINDS).default('json'))
    .action(runs(async () => (await import('./validate.ts')).validatorOf(files)));
  for (const { addOptions } of files) addOptions(validate, 'validate');

  addCommand(
    program,
    'diff',
    'List the records that differ between stores, folders or revisions: of all areas of two stores, which may be of ' +
      'dump-things-service or exported. The stores stay as they are. The status is 2 if there are any.',
    'accession diff data@100 data',
  )
    .argument('<a>', 'a store directory or database, STORE@REVISION, a folder or file of records')
    .argument('<b>', 'another one')
    .option('--collection <name>', 'only this collection')
    .option('-i, --incoming <label>', 'the zone; without it, the curated area')
    .option('--json', 'print one JSON object a line')
    .action(runs(async () => (await import('./diff.ts')).diff));

  addSchema(program);
  addVocabulary(program);
}

function addSchema(program: Command): void {
  const schema = addGroup(program, 'schema', 'Check, show, compare, try out and convert schemas.');
  const address = ['<schema>', 'a LinkML schema: a path or URL'] as const;
  const code = () => import('./schema.ts');

  addCommand(
    schema,
    'check',
    'List what is wrong with a schema, what of it is not enforced, and its classes. The status is 2 if something is not ' +
      'enforced, apart from enums whose vocabularies a collection can have. Notes follow once the schema opens.',
    'accession schema check schema.yaml',
  )
    .argument(...address)
    .option(...JSON_OUTPUT)
    .action(runs(async () => (await code()).schemaCheck));

  addCommand(
    schema,
    'show',
    'List the classes of a schema, or the slots of a class with all that it inherits.',
    'accession schema show schema.yaml Person',
  )
    .argument(...address)
    .argument('[class]', 'a class of the schema')
    .option(...JSON_OUTPUT)
    .action(runs(async () => (await code()).schemaShow));

  addCommand(
    schema,
    'merge',
    'Write a schema and all that it imports as one file, which gives the same verdicts.',
    'accession schema merge https://example.org/schema.yaml -o merged.yaml',
  )
    .argument(...address)
    .option(...OUTPUT)
    .action(runs(async () => (await code()).schemaMerge));

  const generator = addCommand(
    schema,
    'generate',
    'Write a schema as TypeScript types, JSON Schema, a JSON-LD context, SHACL shapes or forms. ' +
      'What of the schema the result cannot express is listed on standard error.',
    'accession schema generate json-schema schema.yaml Person -o person.schema.json',
  );
  generator
    .addArgument(generator.createArgument('<format>', 'what to write').choices(GENERATED))
    .argument(...address)
    .argument('[class]', 'of json-schema and form: one class; without it, all classes')
    .option(
      '--references',
      'of shacl: demand that referenced records are in the graph, with a class of the slot',
    )
    .option(...OUTPUT)
    .action(runs(async () => (await import('./generate.ts')).generate));

  const openStore: OpenToRead = async (place) => (await import('../open-store.ts')).openStore(place);
  for (const module of MODULES) module.addSchema?.(schema, openStore);
}

function addVocabulary(program: Command): void {
  const vocabulary = addGroup(program, 'vocabulary', 'Make, refresh and check snapshots of vocabularies.');
  const code = () => import('./vocabulary.ts');
  const format = choice(
    '--format <format>',
    'the format of the source; by default that of its suffix: .json, .ttl, .csv',
    ['obograph', 'skos', 'csv'],
  );

  addCommand(
    vocabulary,
    'add',
    'Make a snapshot of an ontology, a thesaurus or a table of terms.',
    'accession vocabulary add http://purl.obolibrary.org/obo/cl.json -o cl.terms',
  )
    .argument('<source>', 'a path or URL; OBO Graphs in JSON, SKOS in Turtle, CSV; also .gz')
    .requiredOption('-o, --output <file>', 'the file of the snapshot')
    .addOption(format)
    .option(...JSON_OUTPUT)
    .action(runs(async () => (await code()).vocabularyAdd));

  addCommand(
    vocabulary,
    'refresh',
    'Make a snapshot again, and list terms that are gone, obsolete or relabeled.',
    'accession vocabulary refresh cl.terms --dry-run',
  )
    .argument('<file>', 'a snapshot')
    .option('--from <source>', 'another path or URL than the last time')
    .addOption(format)
    .option('-n, --dry-run', 'list the changes only')
    .option(...JSON_OUTPUT)
    .action(runs(async () => (await code()).vocabularyRefresh));

  addCommand(
    vocabulary,
    'check',
    'Describe snapshots, or list what a schema asks of them in vain. With --schema, the status is 2 if an element of the ' +
      'schema is not enforced.',
    'accession vocabulary check cl.terms --schema schema.yaml',
  )
    .argument('<name=file...>', 'snapshots, or sources')
    .option('-s, --schema <schema>', 'a LinkML schema: a path or URL')
    .option(...JSON_OUTPUT)
    .action(runs(async () => (await code()).vocabularyCheck));
}
