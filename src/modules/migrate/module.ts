/** Changes of schemas: compared, rehearsed on all records, put in force together with corrections, and undone. See README.md. */
import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { DryRuns } from './dry-runs.ts';
import { migrateEndpoints } from './endpoints.ts';
import type { MigratePart } from './part.ts';
import { replacing } from './replacing.ts';
import { SchemaChanges } from './schema-change.ts';
import { noteSchemaEdits } from './schema-edits.ts';
import { tables } from './tables.ts';

export const migrate: Module = {
  name: 'migrate',
  uses: ['tables'],
  tables,
  codes,
  endpoints: migrateEndpoints,
  provides: { replacing },
  start({ root, registry, jobs, log, follows }) {
    if (!follows) noteSchemaEdits({ root, registry, jobs, log });
    return undefined;
  },
  attach({ root, registry }) {
    const dryRuns = new DryRuns();
    return (collection): MigratePart => ({
      changes: new SchemaChanges(collection, { root, registry, dryRuns }),
    });
  },
};
