/** The commands of clients, over HTTP. */
import { SCHEMA_TYPE } from '../../core/schema-type.ts';
import {
  addCommand,
  type Command,
  choice,
  onCollection,
  onService,
  type Row,
  runs,
  wholeNumber,
} from '../command.ts';
import { allFormats, writtenKinds } from '../file-formats.ts';
import type { ModuleFiles } from '../module.ts';
import { OVERWRITE } from '../new-file.ts';
import { addCuration } from './curate-commands.ts';
import { sends } from './sends.ts';
import { statusText } from './status.ts';

type Options = Record<string, unknown>;

/** @param files formats of files that modules add */
export function addClientCommands(program: Command, files: readonly ModuleFiles[]): void {
  addCommand(
    program,
    'login',
    'Save the token of a service, for the other commands. The token is asked for, or read from standard input, and ' +
      'saved where only you can read it.',
    'accession login https://records.example.org',
  )
    .argument('<url>', 'the URL of the service')
    .action(runs(async () => (await import('./login.ts')).login));

  addCommand(program, 'logout', 'Remove a saved token.', 'accession logout https://records.example.org')
    .argument('[url]', 'the URL of the service; without it, the last login')
    .action(runs(async () => (await import('./login.ts')).logout));

  addRecords(program);
  addTransfers(program, files);
  addCuration(program);
  onService(
    program,
    'status',
    'Report disk, backup, collections and what is behind in a service that runs. Requires an admin token.',
    'accession status --json',
  )
    .option('--json', 'print JSON')
    .action(sends({ path: '/-/status', print: { text: statusText } }));

  onService(
    program,
    'api',
    'Send any request, with the token of the login, and print the response. docs/http.md lists all requests.',
    'accession api GET /-/laboratory/classes',
  )
    .argument('<method>', 'GET, POST, PUT or DELETE')
    .argument('<path>', 'the path with its query')
    .option('-d, --data <data>', 'the body; @FILE for a file, - for standard input')
    .option('-t, --type <type>', 'the media type of the body', 'application/json')
    .action(runs(async () => (await import('./api.ts')).api));
}

/** Options that select the area: what the token reads and writes by default, without any. */
function ofArea<Args extends unknown[], Own extends Options>(row: Row<Args, Own>) {
  return row
    .option('-c, --curated', 'the curated area (for curators)')
    .option('-i, --incoming <label>', 'an incoming zone (for curators)');
}

function storing<Args extends unknown[], Own extends Options>(row: Row<Args, Own>) {
  return row
    .option('--new-zone', 'with --incoming: make the zone if it does not exist')
    .option('--tag', 'add submission tags')
    .option('--author <id>', 'on whose behalf a curator stores, for the history')
    .option('--message <text>', 'a message to the curators');
}

const CLASS = ['-C, --class <class>', 'records of this class and its subclasses only'] as const;
const MATCHING = [
  '-m, --matching <pattern>',
  'only records with such a value; % matches any characters',
] as const;
const FORMAT = ['-f, --format <format>', 'the format, whatever the suffix is'] as const;
const LIMIT = ['--limit <number>', 'at most this many', wholeNumber()] as const;
const SCHEMA = [
  '--schema <schema>',
  'the schema of the collection, if its URL cannot be read from here',
] as const;

function addRecords(program: Command): void {
  ofArea(
    onCollection(program, 'list', 'List records in pid order.', 'accession list laboratory --class Person'),
  )
    .option(...CLASS)
    .option(...MATCHING)
    .option(...LIMIT)
    .option('--stats', 'print the number of records only')
    .option('--json', 'print the records, one JSON object a line')
    .addHelpText('after', '\nWith "--incoming -", the zones of the collection are listed.')
    .action(runs(async () => (await import('./records.ts')).list));

  ofArea(
    onCollection(
      program,
      'get',
      'Print records by pid.',
      'accession get laboratory labid:person-ada-byron -f yaml',
    ),
  )
    .argument('<pid...>', 'the pids')
    .addOption(
      choice('-f, --format <format>', 'the format', ['json', 'yaml', 'ttl', 'jsonld', 'nq']).default('json'),
    )
    .action(runs(async () => (await import('./records.ts')).get));

  const put = 'accession put laboratory Person ada.yaml --curated';
  storing(ofArea(onCollection(program, 'put', 'Store records.', put)))
    .argument('<class>', `the class of the records; '*' if each names it by ${SCHEMA_TYPE}`)
    .argument('[file]', 'JSON, NDJSON or YAML; without it, standard input')
    .addOption(choice('--input <format>', 'the format of the input', ['json', 'ndjson', 'yaml']))
    .action(runs(async () => (await import('./records.ts')).put));

  ofArea(
    onCollection(
      program,
      'delete',
      'Delete records by pid.',
      'accession delete laboratory labid:person-ada-byron --curated',
    ),
  )
    .argument('[pid...]', 'the pids; without any, they are read from standard input')
    .option('--if-unreferenced', 'keep records to which others refer')
    .action(runs(async () => (await import('./records.ts')).remove));
}

function addTransfers(program: Command, files: readonly ModuleFiles[]): void {
  const formats = allFormats(files);
  ofArea(
    onCollection(
      program,
      'changes',
      'Print the changes of an area, one JSON object a line, in the order of their commits. The member "cursor" of the last ' +
        'line is where --since goes on.',
      'accession changes laboratory --since now --follow',
    ),
  )
    .option('--since <cursor>', 'only changes behind it; "now" for those to come')
    .option('--follow', 'wait for further changes')
    .option(...CLASS)
    .action(runs(async () => (await import('./records.ts')).changes));

  const output = onCollection(
    program,
    'export',
    'Write all records of an area to a file or folder. The suffix of the path selects the format. A folder has one YAML ' +
      'file per record, as a record directory does.',
    'accession export laboratory persons.xlsx --class Person --curated',
  );
  ofArea(output)
    .argument('[path]', 'a file or folder; without it, or with -, NDJSON is printed')
    .addOption(choice(...FORMAT, writtenKinds(formats)))
    .option(...CLASS)
    .option(...MATCHING)
    .option(...SCHEMA)
    .option(...OVERWRITE)
    .action(runs(async () => (await import('./export.ts')).exporterOf(files)));

  onCollection(
    program,
    'render',
    'Write pages of curated records from the templates of a folder. A later run makes only the pages again that may show ' +
      'a change. docs/how-to/build-a-site.md explains templates.',
    'accession render laboratory site public',
  )
    .argument('<templates>', 'the folder with the templates')
    .argument('<output>', 'the folder for the pages; other files in it are removed')
    .action(runs(async () => (await import('./render/render.ts')).render));

  const input = onCollection(
    program,
    'import',
    'Store the records of a file or folder. Refused records are reported and written to SOURCE.rejected. An interrupted ' +
      'import continues when it is run again.',
    'accession import laboratory persons.xlsx --curated',
  );
  const row = storing(ofArea(input))
    .argument('<source>', 'a file, a folder of YAML or JSON, or - for standard input')
    .addOption(choice(...FORMAT, Object.keys(formats)))
    .option('-C, --class <class>', 'the class of all records')
    .option(...SCHEMA)
    .option('--batch <name>', 'a name for submissions that belong together, by which curators select them')
    .option('-d, --dry-run', 'check the records and store none, and list the values that would be removed')
    .action(runs(async () => (await import('./import.ts')).importerOf(files)));
  for (const { addOptions } of files) addOptions(row as unknown as Command, 'import');
}
