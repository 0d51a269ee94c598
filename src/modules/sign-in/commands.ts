import type { CommandModule } from '../../cli/module.ts';

export const signIn: CommandModule = {
  name: 'sign-in',
  tables: () => import('./tables.ts').then(({ tables }) => tables),
  sources: () => import('./source-config.ts').then(({ sourceSchemas }) => sourceSchemas),
  check: () => import('./check.ts').then(({ checkSources }) => checkSources),
};
