import type { CommandModule } from '../../cli/module.ts';

export const vocabularies: CommandModule = {
  name: 'vocabularies',
  storedTerms: async (reader) => (await import('./stored.ts')).storedTerms(reader),
};
