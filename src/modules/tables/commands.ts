import { addCommand, runs } from '../../cli/command.ts';
import type { CommandModule } from '../../cli/module.ts';
import { OVERWRITE } from '../../cli/new-file.ts';

export const tables: CommandModule = {
  name: 'tables',
  addOffline(program) {
    addCommand(
      program,
      'template',
      'Write an empty table of a class, to be filled in and imported. The class is one of a schema, or of a collection of a ' +
        'service.',
      'accession template laboratory Person -o persons.xlsx',
    )
      .argument('<name...>', 'the collection and the class; with --schema, the class')
      .option('--schema <schema>', 'a LinkML schema that has the class: a path or URL')
      .option('--url <url>', 'the service; by default ACCESSION_URL, else the last login')
      .option('-o, --output <file>', 'a .csv or .xlsx file; without it, CSV is printed')
      .option(...OVERWRITE)
      .action(runs(async () => (await import('../../modules/tables/template-command.ts')).template));
  },
};
