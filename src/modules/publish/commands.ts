import type { CommandModule } from '../../cli/module.ts';

export const publish: CommandModule = {
  name: 'publish',
  settings: {
    addOptions(settings) {
      settings
        .option('--title <title>', 'the title of the collection on public pages')
        .option('--publisher <name>', 'the organization or person that publishes the records')
        .option('--license <url>', 'the license of the records')
        .option('--contact <address>', 'the e-mail address of who answers harvesters')
        .option('--base <url>', 'the URL with which IRIs start that a proxy serves');
    },
    load: async () => (await import('./settings-options.ts')).settingsOfOptions,
  },
};
