import { addCommand, choice, collectValues, runs, wholeNumber } from '../../cli/command.ts';
import type { CommandModule } from '../../cli/module.ts';
import { OVERWRITE } from '../../cli/new-file.ts';
import { DATE_ORDERS, TABLE_FORMATS } from './commands/reading.ts';
import { MOST_ROWS } from './files/limits.ts';

const ALL = Object.keys(TABLE_FORMATS);

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
      .action(runs(async () => (await import('./commands/template-command.ts')).template));
  },
  files: {
    formats: TABLE_FORMATS,
    optionFormats: {
      sheet: ['xlsx', 'xls', 'ods'],
      encoding: ['csv'],
      headerRow: ALL,
      decimalComma: ALL,
      dates: ALL,
      map: ALL,
      replace: ALL,
      all: ALL,
    },
    addOptions(command, name) {
      command
        .option('--sheet <name>', 'of a workbook: this sheet only')
        .option(
          '--header-row <number>',
          'of a table: the row that has the names of the columns (1)',
          wholeNumber(1, MOST_ROWS),
        )
        .option('--encoding <name>', 'of CSV: its encoding, such as windows-1252 (utf-8)')
        .option('--decimal-comma', 'of a table: numbers are written like 1.000,50')
        .option(
          '--map <header=slot>',
          'of a table: the slot of a column with another header, such as Vorname=given_name; may be repeated',
          collectValues,
        )
        .addOption(
          choice(
            '--dates <order>',
            'of a table: the order in dates like 3/4/2025; excel: day numbers such as 45352',
            DATE_ORDERS,
          ),
        );
      if (name === 'import')
        command
          .option('--replace', 'rows of a table replace whole records: values without a column are removed')
          .option('--all', 'of a table: print each problem, not the first 5 of a kind in a column');
    },
    load: async () => (await import('./commands/file-functions.ts')).fileFunctions,
  },
};
