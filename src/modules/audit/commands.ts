import type { CommandModule } from '../../cli/module.ts';

export const audit: CommandModule = {
  name: 'audit',
  configuration: async () => (await import('./configuration.ts')).configuration,
  logs: async () => (await import('./area-logs.ts')).areaLogs,
};
