import type { PrintFormat } from '../../cli/client/request.ts';
import { sends } from '../../cli/client/sends.ts';
import { type Command, collectValues, onCollection, wholeNumber } from '../../cli/command.ts';
import type { CommandModule } from '../../cli/module.ts';
import { countText } from '../../cli/print.ts';
import type { MoveReport } from './api-types.ts';

const LIMIT = ['--limit <number>', 'at most this many (100)', wholeNumber(1, 1000)] as const;
const JSON_OUTPUT = ['--json', 'print JSON'] as const;
const DRY_RUN = ['-d, --dry-run', 'only report what would change'] as const;
const AUTHOR = ['--author <id>', 'on whose behalf, for the history'] as const;
/** The options of renames and merges are parameters. */
const MOVING = { names: { author: 'author_id' }, query: ['dry_run', 'author_id'] };
const MOVED: PrintFormat = {
  text: ({ kind, from, to, records, dry_run, id, left_out }) =>
    [
      dry_run
        ? `${kind} ${from} → ${to}: ${countText(records as number, 'record')} would change`
        : `${kind} ${from} → ${to}: ${countText(records as number, 'record')} changed; undo with the id ${id}`,
      ...((left_out ?? []) as MoveReport['left_out']).map(
        ({ pid, path, reason }) => `${pid} ${path}: ${WHY_LEFT_OUT[reason]}`,
      ),
    ].join('\n'),
};

/** In earlier releases these were not in a group. */
const FORMER_NAMES = ['dangling', 'faults', 'duplicates', 'distinct', 'rename', 'merge', 'moves'];

const WHY_LEFT_OUT = {
  repeated: 'would be twice, and is kept once',
  itself: 'would lead from the record to itself, and is left out',
} as const;

const MOVE_UNDONE: PrintFormat = {
  text: ({ kind, from, to, records }) =>
    `${kind} ${from} → ${to}: undone; ${countText(records as number, 'record')} changed`,
};

export const curate: CommandModule = {
  name: 'curate',
  former: Object.fromEntries(FORMER_NAMES.map((name) => [name, `curate ${name}`])),
  addCuration,
  settings: {
    addOptions(settings) {
      settings.option(
        '--identify <class=slots>',
        'slots of a class whose values name one thing, with commas; may be repeated',
        collectValues,
      );
    },
    load: async () => (await import('./settings-options.ts')).settingsOfOptions,
  },
};

/** Adds the commands of curators who keep a collection in order. */
function addCuration(curate: Command): void {
  onCollection(
    curate,
    'dangling',
    'List references that lead to no record. The status is 2 if there are any.',
    'accession curate dangling laboratory',
  )
    .option(...LIMIT)
    .option(...JSON_OUTPUT)
    .action(
      sends({
        path: '/-/{collection}/dangling',
        print: { columns: ['pid', 'class', 'in', 'path', 'to'], items: 'items', areProblems: true },
      }),
    );

  onCollection(
    curate,
    'faults',
    'List stored records that do not fit the schema. The status is 2 if there are any, and 1 if there are none so far.',
    'accession curate faults laboratory',
  )
    .option('--pid <pid>', 'only the problems of the curated record with this pid')
    .option(...LIMIT)
    .option(...JSON_OUTPUT)
    .action(
      sends({
        path: '/-/{collection}/faults',
        print: {
          columns: ['pid', 'class', 'in', 'problem'],
          items: 'items',
          areProblems: true,
          row: ({ problems, ...fault }) => ({
            ...fault,
            problem: (problems as { msg: string }[]).map(({ msg }) => msg).join(' '),
          }),
        },
      }),
    );

  onCollection(
    curate,
    'duplicates',
    'List pairs of curated records that may be about the same thing. "accession curate merge" makes one of them.',
    'accession curate duplicates laboratory',
  )
    .option(...LIMIT)
    .option(...JSON_OUTPUT)
    .action(
      sends({
        path: '/-/{collection}/duplicates',
        print: {
          columns: ['score', 'by', 'class', 'first', 'second', 'titles'],
          items: 'items',
          row: ({ records, ...pair }) => {
            const [first, second] = records as { pid: string; class: string; title: string | null }[];
            const titles = [first?.title, second?.title].join(' / ');
            return { ...pair, class: first?.class, first: first?.pid, second: second?.pid, titles };
          },
        },
      }),
    );

  onCollection(
    curate,
    'distinct',
    'Record that two records are about different things. They are not listed as duplicates any more.',
    'accession curate distinct laboratory labid:person-ada-abe labid:person-ada-byron',
  )
    .argument('<first>', 'a pid')
    .argument('<second>', 'another pid')
    .option('--undo', 'list them as duplicates again')
    .action(
      sends({
        method: 'PUT',
        path: '/-/{collection}/duplicates',
        values: ({ collection, first, second, undo }) => ({
          collection,
          pids: [first, second],
          different: !undo,
        }),
        print: {
          done: ({ first, second, undo }) =>
            `${first} and ${second} are ${undo ? 'listed as duplicates again if they are alike' : 'not listed as duplicates any more'}.`,
        },
      }),
    );

  onCollection(
    curate,
    'rename',
    'Give a curated record another pid, in every record that refers to it. The former pid leads to it from then on.',
    'accession curate rename laboratory labid:person-ada-abe labid:person-ada --dry-run',
  )
    .argument('<from>', 'the present pid')
    .argument('<to>', 'the new one')
    .option(...DRY_RUN)
    .option(...AUTHOR)
    .option(...JSON_OUTPUT)
    .action(sends({ method: 'POST', path: '/-/{collection}/curated/rename', ...MOVING, print: MOVED }));

  onCollection(
    curate,
    'merge',
    'Merge two curated records into one, in every record that refers to them. Values that only one of them has are kept.',
    'accession curate merge laboratory labid:person-ada labid:person-a --take /name=keep',
  )
    .argument('<keep>', 'the pid that remains')
    .argument('<drop>', 'the pid that leads to it from then on')
    .option(
      '--take <path=side>',
      'whose value to take if both have one, such as /name=keep or /name=drop; without a path, of the whole record; may be repeated',
      (text, before?: object) => {
        const at = text.lastIndexOf('=');
        return { ...before, [text.slice(0, Math.max(at, 0))]: text.slice(at + 1) };
      },
    )
    .option(...DRY_RUN)
    .option(...AUTHOR)
    .option(...JSON_OUTPUT)
    .action(
      sends({
        method: 'POST',
        path: '/-/{collection}/curated/merge',
        ...MOVING,
        print: MOVED,
        advise: ({ code, problems }) =>
          code === 'merge_conflict'
            ? `Choose a value for each path: --take ${problems[0]?.loc[0]}=keep, or --take ${problems[0]?.loc[0]}=drop.`
            : undefined,
      }),
    );

  onCollection(curate, 'moves', 'List renames and merges, or undo one.', 'accession curate moves laboratory')
    .argument('[undo]', 'the id of the one to undo')
    .option(...JSON_OUTPUT)
    .action(
      sends({
        path: '/-/{collection}/moves',
        print: { columns: ['id', 'kind', 'from', 'to', 'records', 'by', 'time'], items: 'items' },
        instead: [
          { value: 'undo', method: 'POST', path: '/-/{collection}/moves/{undo}/undo', print: MOVE_UNDONE },
        ],
      }),
    );
}
