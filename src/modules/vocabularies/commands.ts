import type { CommandModule } from '../../cli/module.ts';

export const vocabularies: CommandModule = {
  name: 'vocabularies',
  configuration: async () => (await import('./configuration.ts')).configuration,
  storedTerms: async (reader) => (await import('./stored.ts')).storedTerms(reader),
};
