/** The commands of clients, over HTTP. */
import { SCHEMA_TYPE } from '../../schema-type.ts';
import {
  addCommand,
  addGroup,
  type Command,
  choice,
  onService,
  type Row,
  repeated,
  runs,
  wholeNumber,
} from '../command.ts';
import { FILE_KINDS, WRITTEN_KINDS } from '../file-formats.ts';
import { OVERWRITE } from '../new-file.ts';
import { ofTables } from '../offline/table-options.ts';
import { addRequests, CURATE_REQUESTS, REQUESTS, REVIEW_REQUESTS } from './requests.ts';

type Options = Record<string, unknown>;

export function addClientCommands(program: Command): void {
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
  addTransfers(program);
  addReview(program);
  addCuration(program);
  addRequests(program, REQUESTS);

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

function addCuration(program: Command): void {
  const curate = addGroup(
    program,
    'curate',
    'Keep a collection in order: faults, references, duplicates, renames, merges, settings, releases.',
  );
  addRequests(curate, CURATE_REQUESTS);

  onCollection(
    curate,
    'settings',
    'Print the settings of a collection, and change those that are given.',
    'accession curate settings laboratory --on-delete refuse --identify Person=orcid',
  )
    .addOption(
      choice('--on-delete <rule>', 'whether curated records that others refer to can be deleted', [
        'warn',
        'refuse',
      ]),
    )
    .option(
      '--identify <class=slots>',
      'slots of a class whose values name one thing, with commas; may be repeated',
      repeated,
    )
    .option('--title <title>', 'the title of the collection on public pages')
    .option('--publisher <name>', 'the organization or person that publishes the records')
    .option('--license <url>', 'the license of the records')
    .option('--contact <address>', 'the e-mail address of who answers harvesters')
    .option('--base <url>', 'the URL with which IRIs start that a proxy serves')
    .option(
      '--profile <vocabulary=file>',
      'derivations for schema_org, oai_dc or datacite, as YAML; may be repeated',
      repeated,
    )
    .option('--dry-run', 'change nothing; print what the vocabularies cannot express of the records')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./api.ts')).settings));

  onCollection(
    curate,
    'release',
    'List the releases of a collection, or release the curated records as they are now. The release never changes, and has the ' +
      'changes since the last one. The command waits until it is made. For curators and administrators.',
    'accession curate release laboratory 2026-11 --notes Corrected',
  )
    .argument('[name]', 'the name of a new release: letters, digits, dots, hyphens and underscores')
    .option('--notes <text>', 'what is new, for people')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./release.ts')).release));
}

function onCollection(parent: Command, name: string, about: string, example: string) {
  return onService(parent, name, about, example).argument('<collection>', 'a collection of the service');
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

function addTransfers(program: Command): void {
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
    .addOption(choice(...FORMAT, WRITTEN_KINDS))
    .option(...CLASS)
    .option(...MATCHING)
    .option(...SCHEMA)
    .option(...OVERWRITE)
    .action(runs(async () => (await import('./export.ts')).exportRecords));

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
  ofTables(storing(ofArea(input)))
    .argument('<source>', 'a file, a folder of YAML or JSON, or - for standard input')
    .addOption(choice(...FORMAT, FILE_KINDS))
    .option('-C, --class <class>', 'the class of all records')
    .option(...SCHEMA)
    .option('--replace', 'rows of a table replace whole records: values without a column are removed')
    .option('--batch <name>', 'a name for submissions that belong together, by which curators select them')
    .option('-d, --dry-run', 'check the records and store none, and list the values that would be removed')
    .action(runs(async () => (await import('./import.ts')).importRecords));
}

function addReview(program: Command): void {
  const review = addGroup(
    program,
    'review',
    'Decide on submissions: list, show, accept, reject, defer, undo.',
  );
  const code = () => import('./review.ts');

  addRequests(review, REVIEW_REQUESTS);
  onCollection(
    review,
    'show',
    'Show a submission with its differences from the curated record.',
    'accession review show laboratory submitter labid:person-ada-byron',
  )
    .argument('<label>', 'the zone')
    .argument('<pid>', 'the submission')
    .option('--comment <text>', 'first write this to the submitter')
    .option('--request <what>', 'with --comment: ask for an answer or for changes')
    .option('--json', 'print JSON')
    .action(runs(async () => (await code()).reviewShow));

  const pid = 'labid:person-ada-byron';
  deciding(review, 'accept', 'Accept submissions into the curated area.', `${pid} --take /name=submitted`)
    .option('--reason <text>', 'a sentence for the submitter')
    .option('--take <path=side>', 'resolve a conflict: submitted, curated or base; may be repeated', repeated)
    .action(runs(async () => (await code()).decide.bind(undefined, 'accept')));
  deciding(review, 'reject', 'Reject submissions, with a reason.', `${pid} --reason 'a duplicate'`)
    .requiredOption('--reason <text>', 'a sentence for the submitter')
    .action(runs(async () => (await code()).decide.bind(undefined, 'reject')));
  deciding(review, 'defer', 'Put off the decision on submissions.', `${pid} --reason 'which Ada?'`)
    .option('--reason <text>', 'a sentence for the submitter')
    .option('--until <time>', 'when they wait again: 2027-01-31T12:00:00Z')
    .action(runs(async () => (await code()).decide.bind(undefined, 'defer')));

  onCollection(
    review,
    'undo',
    'Undo decisions, each with those made in the same step.',
    'accession review undo laboratory 01JF3Z5K8M',
  )
    .argument('<id...>', 'the ids of the decisions')
    .option('--json', 'print JSON')
    .action(runs(async () => (await code()).undo));

  addCommand(
    review,
    'forget',
    'Remove a user id, or contents and reasons, from the decisions of a collection in a store. Decisions and digests ' +
      'stay, so a rejection is still remembered. Histories of records and audit logs are not changed. No service may ' +
      'run on a store directory meanwhile.',
    'accession review forget data laboratory --user ann@example.org',
  )
    .argument('<store>', 'the store directory, or the URL of a PostgreSQL database')
    .argument('<collection>', 'the name of the collection')
    .option('--user <id>', 'the user id to replace')
    .option('--pid <pid>', 'the record whose contents and reasons are removed')
    .action(runs(async () => (await import('../operator/forget.ts')).forgetDecisions));
}

/** A decision: on several submissions, each on its own. */
function deciding(review: Command, name: string, about: string, example: string) {
  return onCollection(review, name, about, `accession review ${name} laboratory submitter ${example}`)
    .argument('<label>', 'the zone')
    .argument('<pid...>', 'the submissions: each has its own decision, whose id is printed for "review undo"')
    .option('--digest <digest>', 'refuse if the submission is not this one any more')
    .option('--overturn', 'also if it is rejected already')
    .option('--json', 'print JSON');
}
