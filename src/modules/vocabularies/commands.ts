import type { CommandModule } from '../../cli/module.ts';

export const vocabularies: CommandModule = {
  name: 'vocabularies',
  tables: async () => (await import('./tables.ts')).tables,
  configuration: async () => (await import('./configuration.ts')).configuration,
  storedTerms: async (reader) => (await import('./stored.ts')).storedTerms(reader),
};
