import { collectValues } from '../../cli/command.ts';
import type { CommandModule } from '../../cli/module.ts';

export const curate: CommandModule = {
  name: 'curate',
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
