import type { CommandModule } from '../../cli/module.ts';

export const notify: CommandModule = {
  name: 'notify',
  configuration: async () => (await import('./configuration.ts')).configuration,
};
