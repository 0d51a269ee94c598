import { ANY_STORE, addCommand, runs } from '../../cli/command.ts';
import type { CommandModule } from '../../cli/module.ts';

export const peer: CommandModule = {
  name: 'peer',
  tables: async () => (await import('./tables.ts')).tables,
  adoption: async () => (await import('./adopt/adopt.ts')).adoption,
  keepsFiles: true,
  check: async () => (await import('./mirror/check-files.ts')).files,
  addOperator(program, openStore) {
    addCommand(
      program,
      'export-store',
      'Write a store directory that dump-things-service opens. The service may run meanwhile. Writes the configuration, ' +
        'tokens and all areas as of one moment, each with the backend and mapping method of its collection, and the ' +
        'audit logs. Areas of deleted collections are written as they last were, and listed. The exit status is 2 if an ' +
        'area has records and never had a collection.',
      'accession export-store data /srv/dump-things',
    )
      .argument('<store>', ANY_STORE)
      .argument('<directory>', 'a directory that does not exist or is empty')
      .action(runs(async () => (await import('./export/export-command.ts')).exportCommand(openStore)));
  },
};
