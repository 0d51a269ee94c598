/** The commands below `review`, and `submissions`. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Values } from '../../cli/client/request.ts';
import { PAGED, SIZE, sends } from '../../cli/client/sends.ts';
import {
  ANY_STORE,
  addCommand,
  addGroup,
  type Command,
  collectValues,
  onCollection,
  runs,
} from '../../cli/command.ts';
import type { CommandModule, OpenBeside } from '../../cli/module.ts';
import { decisionRow, itemText } from './commands/printed.ts';
import { COLUMNS, type Column, type ColumnFilter } from './queue/columns.ts';
import { FILTERS } from './queue/fields.ts';

export const review: CommandModule = {
  name: 'review',
  configuration: async () => (await import('./configuration.ts')).configuration,
  addClient(program, openStore) {
    addReview(program, openStore);
    addSubmissions(program);
  },
};

const SHORT: Readonly<Record<string, string>> = { class: '-C, ', matching: '-m, ' };

function addFilter(row: CommandUnknownOpts, name: string, { description, schema }: ColumnFilter): void {
  const words = description.slice(0, 1).toLowerCase() + description.slice(1, -1);
  const [one] = (schema as { oneOf?: readonly { enum?: readonly string[] }[] }).oneOf ?? [];
  row.option(`${SHORT[name] ?? ''}--${name} <value>`, one?.enum ? `${words}: ${one.enum.join(', ')}` : words);
}

/** Adds the commands of curators who decide on submissions. */
function addReview(program: Command, openStore: OpenBeside): void {
  const review = addGroup(
    program,
    'review',
    'Decide on submissions: list, show, assign, accept, reject, defer, undo.',
  );
  const code = () => import('./commands/decide-command.ts');

  const list = onCollection(
    review,
    'list',
    'List submissions that wait for a decision.',
    'accession review list laboratory --state new',
  );
  for (const [name, filter] of Object.entries<ColumnFilter>(FILTERS))
    addFilter(list as unknown as CommandUnknownOpts, name, filter);
  list
    .option('--mine', 'those that you are to decide on: --assignee me')
    .option('--unassigned', 'those that are unassigned: --assignee none')
    .option('--summary', 'print counts only')
    .option(...SIZE)
    .option('--json', 'print JSON')
    .action(
      sends({
        path: '/-/{collection}/review/',
        names: PAGED,
        values: withAssignees,
        print: {
          columns: Object.entries<Column>(COLUMNS).flatMap(([name, { isListed }]) =>
            isListed ? [name] : [],
          ),
          items: 'items',
        },
        instead: [{ value: 'summary', path: '/-/{collection}/review/summary', print: 'value' }],
      }),
    );

  onCollection(
    review,
    'decisions',
    'List the decisions of a collection, newest first.',
    'accession review decisions laboratory --label ada',
  )
    .option('--pid <pid>', 'only decisions about this record')
    .option('--label <label>', 'only decisions about submissions of this zone')
    .option(...SIZE)
    .option('--json', 'print JSON')
    .action(
      sends({
        path: '/-/{collection}/review/decisions',
        names: PAGED,
        print: {
          columns: ['id', 'time', 'decision', 'label', 'pid', 'reviewer', 'undone', 'reason'],
          items: 'items',
          row: decisionRow,
        },
      }),
    );

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

  onCollection(
    review,
    'assign',
    'Say who is to decide on submissions.',
    'accession review assign laboratory submitter labid:person-ada-byron --mine --due 2027-01-31T12:00:00Z',
  )
    .argument('<label>', 'the zone')
    .argument('<pid...>', 'the submissions')
    .option('--to <user>', 'the user id of a curator')
    .option('--mine', 'yourself')
    .option('--unassigned', 'no one: takes an assignment back')
    .option('--due <time>', 'when they are to be decided: 2027-01-31T12:00:00Z, or none')
    .option('--json', 'print JSON')
    .action(runs(async () => (await import('./commands/assign-command.ts')).assign));

  const pid = 'labid:person-ada-byron';
  deciding(review, 'accept', 'Accept submissions into the curated area.', `${pid} --take /name=submitted`)
    .option('--reason <text>', 'a sentence for the submitter')
    .option(
      '--take <path=side>',
      'resolve a conflict: submitted, curated or base; may be collectValues',
      collectValues,
    )
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
    .argument('<store>', ANY_STORE)
    .argument('<collection>', 'the name of the collection')
    .option('--user <id>', 'the user id to replace')
    .option('--pid <pid>', 'the record whose contents and reasons are removed')
    .action(runs(async () => (await import('./commands/forget-command.ts')).forgetDecisions(openStore)));
}

/** The options about assignees as one filter: submissions of any of them are listed. */
function withAssignees({ mine, unassigned, assignee, ...given }: Values): Values {
  const assignees = [assignee, mine && 'me', unassigned && 'none'].filter(Boolean);
  return assignees.length === 0 ? given : { ...given, assignee: assignees.join(',') };
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

/** Adds the command of submitters. */
function addSubmissions(program: Command): void {
  onCollection(
    program,
    'submissions',
    'List what became of your submissions.',
    'accession submissions laboratory --status rejected',
  )
    .argument('[pid]', 'one submission, with its decisions')
    .option('--status <status>', 'waiting, deferred, rejected, accepted, withdrawn or removed')
    .option('-C, --class <class>', 'records of this class only')
    .option('--batch <batch>', 'submissions of this batch')
    .option(...SIZE)
    .option('--comment <text>', 'write this to the curators about one submission')
    .option('--json', 'print JSON')
    .action(
      sends({
        path: '/-/{collection}/submissions/',
        names: { ...PAGED, comment: 'text' },
        print: { columns: ['pid', 'class', 'status', 'submitted_at', 'reason', 'title'], items: 'items' },
        instead: [
          {
            value: 'text',
            method: 'POST',
            path: '/-/{collection}/submissions/comments',
            print: { done: () => 'The comment is stored.' },
          },
          { value: 'pid', path: '/-/{collection}/submissions/item', print: { text: itemText } },
        ],
      }),
    );
}
