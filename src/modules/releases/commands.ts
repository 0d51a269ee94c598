import { onCollection, runs } from '../../cli/command.ts';
import type { CommandModule } from '../../cli/module.ts';

export const releases: CommandModule = {
  name: 'releases',
  former: { release: 'curate release', releases: 'curate release' },
  addCuration(curate) {
    onCollection(
      curate,
      'release',
      'List the releases of a collection, or release the curated records as they are now. The release never changes, and has the ' +
        'changes since the last one. The command waits until it is made. For curators and administrators.',
      'accession curate release laboratory 2026-11 --notes Corrected',
    )
      .argument('[name]', 'the name of a release: letters, digits, dots, hyphens and underscores')
      .option('--notes <text>', 'what is new, for people')
      .option(
        '--withdraw <reason>',
        'remove the files of the release, for administrators: its name and the reason stay',
      )
      .option('--json', 'print JSON')
      .action(runs(async () => (await import('./command.ts')).release));
  },
};
