import { addGroup, type Command, choice, onCollection, runs } from '../command.ts';
import { MODULES } from '../modules.ts';
import { sends } from './sends.ts';

const JSON_OUTPUT = ['--json', 'print JSON'] as const;

/** Adds the commands of curators who keep a collection in order. */
export function addCuration(program: Command): void {
  const curate = addGroup(
    program,
    'curate',
    'Keep a collection in order: faults, references, duplicates, renames, merges, settings.',
  );
  const maintenance = onCollection(
    curate,
    'maintenance',
    'Switch the maintenance mode of a collection. While it is on, only curators have access.',
    'accession curate maintenance laboratory on',
  );
  maintenance
    .addArgument(maintenance.createArgument('<active>', 'the new state').choices(['on', 'off']))
    .action(
      sends({
        method: 'POST',
        path: '/maintenance',
        print: { done: ({ collection, active }) => `The maintenance mode of ${collection} is ${active}.` },
      }),
    );

  const settings = onCollection(
    curate,
    'settings',
    'Print the settings of a collection, and change those that are given.',
    'accession curate settings laboratory --on-delete refuse',
  )
    .addOption(
      choice('--on-delete <rule>', 'whether curated records that others refer to can be deleted', [
        'warn',
        'refuse',
      ]),
    )
    .option(...JSON_OUTPUT)
    .action(runs(async () => (await import('./api.ts')).settings));
  for (const { settings: ofModule } of MODULES) ofModule?.addOptions(settings as unknown as Command);
  for (const module of MODULES) module.addCuration?.(curate);
}
