/** The commands that read files, without a service. */
import { SCHEMA_TYPE } from '../../schema-type.ts';
import { sends } from '../client/sends.ts';
import {
  addCommand,
  addGroup,
  type Command,
  choice,
  collectValues,
  onCollection,
  onService,
  runs,
} from '../command.ts';
import { allFormats } from '../file-formats.ts';
import type { ModuleFiles } from '../module.ts';
import { OVERWRITE } from '../new-file.ts';
import { countText } from '../print.ts';

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
    'List the records that differ between stores, folders or revisions. The status is 2 if there are any.',
    'accession diff data@100 data',
  )
    .argument('<a>', 'a store directory, STORE@REVISION, a folder or file of records')
    .argument('<b>', 'another one')
    .option('--collection <name>', 'the collection, if a store has several')
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
    'rehearse',
    'Report what another schema would mean for the records of a store. Changes nothing; the service may run meanwhile. ' +
      'The status is 2 if records would no longer fit.',
    'accession schema rehearse data --schema new-schema.yaml --collection lab',
  )
    .argument('<store>', 'the store directory, or the URL of a PostgreSQL database')
    .requiredOption('--schema <schema>', 'the new LinkML schema: a path or URL')
    .option('--collection <name>', 'only this collection')
    .option('--json', 'print one JSON object a line, for every record')
    .action(runs(async () => (await import('./rehearse.ts')).rehearse));

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
    'diff',
    'List what differs between two schemas, what may break records first. The status is 2 if a change may break records. ' +
      '"accession schema rehearse" reports which records of a store.',
    'accession schema diff schema.yaml new-schema.yaml',
  )
    .argument('<from>', 'a path or URL')
    .argument('<to>', 'a path or URL')
    .option(...JSON_OUTPUT)
    .action(runs(async () => (await code()).schemaDiff));

  addCommand(
    schema,
    'merge',
    'Write a schema and all that it imports as one file, which gives the same verdicts.',
    'accession schema merge https://example.org/schema.yaml -o merged.yaml',
  )
    .argument(...address)
    .option(...OUTPUT)
    .action(runs(async () => (await code()).schemaMerge));

  onService(
    schema,
    'switch',
    'Put another schema in force for a collection of a service, and correct its records, in one step. Records are ' +
      'corrected as the changes of the schema say, then by --corrections. Requires an admin token; with --dry-run, a ' +
      'curator token. The status of a dry run is 2 if records would not fit.',
    'accession schema switch laboratory new-schema.yaml --corrections corrections.xlsx',
  )
    .argument('<collection>', 'a collection of the service')
    .argument('<schema>', 'the new LinkML schema: a file, or an address that the service can read')
    .option('-d, --dry-run', 'only report what it would mean for the records')
    .option('--report <file>', 'write records that would not fit to a table (.xlsx, .csv), to be corrected')
    .option(OVERWRITE[0], 'replace the file of --report if it exists')
    .option('--corrections <file>', 'such a table, filled in; an empty cell removes a value')
    .option('--force', 'also if records would not fit afterwards')
    .action(runs(async () => (await import('../client/schema-switch.ts')).schemaSwitch));
  onCollection(
    schema,
    'changes',
    'List the schema changes of a collection of a service, newest first. One of the kind edit took effect without a ' +
      'switch: the file of the schema was changed, or the configuration names another one.',
    'accession schema changes laboratory',
  )
    .option(...JSON_OUTPUT)
    .action(
      sends({
        path: '/-/{collection}/switches',
        print: {
          columns: ['id', 'time', 'kind', 'by', 'records', 'undoes', 'state', 'schema'],
          row: ({ to, ...change }) => ({ ...change, schema: (to as { address: string }).address }),
        },
      }),
    );

  onCollection(
    schema,
    'undo',
    'Undo a schema change of a service: the former schema, and the records as they were. Requires an admin token, and ' +
      'records that have not changed since.',
    'accession schema undo laboratory 01JF3Z5K8M',
  )
    .argument('<id>', 'the id of the change')
    .option(...JSON_OUTPUT)
    .action(
      sends({
        method: 'POST',
        path: '/-/{collection}/switches/{id}/undo',
        print: {
          text: ({ records, to }) =>
            `The former schema is in force again, from ${(to as { address: string }).address}; ` +
            `${countText(records as number, 'record')} restored.`,
        },
      }),
    );

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
