import { sends } from '../../cli/client/sends.ts';
import { ANY_STORE, addCommand, onCollection, onService, runs } from '../../cli/command.ts';
import type { CommandModule } from '../../cli/module.ts';
import { OVERWRITE } from '../../cli/new-file.ts';
import { countText } from '../../cli/print.ts';

const JSON_OUTPUT = ['--json', 'print JSON'] as const;

export const migrate: CommandModule = {
  name: 'migrate',
  tables: async () => (await import('./tables.ts')).tables,
  former: { rehearse: 'schema rehearse' },
  addSchema(schema, openStore) {
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
      .action(runs(async () => (await import('./diff-command.ts')).schemaDiff));

    addCommand(
      schema,
      'rehearse',
      'Report what another schema would mean for the records of a store. Changes nothing; the service may run meanwhile. ' +
        'The status is 2 if records would no longer fit.',
      'accession schema rehearse data --schema new-schema.yaml --collection lab',
    )
      .argument('<store>', ANY_STORE)
      .requiredOption('--schema <schema>', 'the new LinkML schema: a path or URL')
      .option('--collection <name>', 'only this collection')
      .option('--json', 'print one JSON object a line, for every record')
      .action(runs(async () => (await import('./rehearse-command.ts')).rehearse(openStore)));

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
      .action(runs(async () => (await import('./switch-command.ts')).schemaSwitch));
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
  },
  check: async () => (await import('./check.ts')).idleFiles,
};
