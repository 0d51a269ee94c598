/** The database and the records in it. */

import { existsSync } from 'node:fs';
import { isJsonObject, parseJson } from '#linkml/json.ts';
import { missingTargets } from '../../../core/collections/links.ts';
import { linksOf } from '../../../core/records/links.ts';
import { definedRecord, recordProblems } from '../../../core/records/record.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import type { Database } from '../../../core/storage/database.ts';
import type { StoredRecord } from '../../../core/storage/store.ts';
import type { StoreArea } from '../../opened-store.ts';
import { type CheckContext, error, type Finding, nameOf, warning } from './finding.ts';

export const RESTORE = 'Stop the service and restore the last backup: see docs/how-to/back-up.md.';

/** Whether the file of the database is sound. */
export async function* databaseFile({ database }: CheckContext): AsyncGenerator<Finding> {
  if (database.dialect.name !== 'sqlite') return;
  try {
    for (const [message] of await database.tuples<[string]>('PRAGMA quick_check'))
      if (message !== 'ok') yield error('database', `accession.db: ${message}`, RESTORE);
  } catch (failure) {
    const { message, cause } = failure as Error;
    yield error('database', `accession.db: ${cause instanceof Error ? cause.message : message}`, RESTORE);
  }
}

/** Schemas that do not open, and with the others every record. */
export async function* records(checked: CheckContext): AsyncGenerator<Finding> {
  const { configuration, areas } = checked;
  const open = checked.schemas();
  for (const [name, config] of Object.entries(configuration.collections)) {
    let schema: Schema;
    try {
      schema = await open(config);
    } catch (failure) {
      yield isElsewhere(checked, config.schema)
        ? warning('schema', SCHEMA_ELSEWHERE, 'Run this in a store directory that has the schema.', name)
        : error(
            'schema',
            (failure as Error).message,
            'Put the schema back, or give the collection another one.',
            name,
          );
      continue;
    }
    const own = areas.filter(({ collection }) => collection === name);
    for (const area of own) yield* recordsOf(checked, area, schema, own);
  }
}

const SCHEMA_ELSEWHERE =
  'The schema is in a directory that the database is not in, so the records of the collection were not checked.';

/** Whether a schema is a file that this machine lacks: a database has the addresses of schemas that instances have in their directories. */
function isElsewhere({ isDirectory }: CheckContext, schema: string): boolean {
  return !isDirectory && !/^(https?|file):/i.test(schema) && !existsSync(schema);
}

async function* recordsOf(
  { database, withRecords }: CheckContext,
  area: StoreArea,
  schema: Schema,
  all: readonly StoreArea[],
): AsyncGenerator<Finding> {
  const { store } = area;
  const where = nameOf(area);
  const curated = all.find((one) => one.area === 'curated')?.store;
  const damaged = (message: string) => error('database', message, RESTORE, where);
  const revision = await store.revision();
  const counts = new Map<string, number>();
  let number = 0;
  for await (const record of store.scan({})) {
    number += 1;
    counts.set(record.className, (counts.get(record.className) ?? 0) + 1);
    if (record.revision > revision)
      yield damaged(`${record.pid} has revision ${record.revision}, and its area has ${revision}.`);
    if (!isRecord(record)) {
      yield damaged(`${record.pid} is not a JSON object with this pid.`);
      continue;
    }
    if (record.pid.includes(':') && schema.expand(record.pid) === undefined)
      yield error(
        'pids',
        `${record.pid}: the schema has no such prefix.`,
        'Add the prefix to the schema, or change the pid.',
        where,
      );
    if (withRecords) {
      const problems = recordProblems(schema, record).map(({ loc, msg }) =>
        `${loc.join('.')}: ${msg}`.replace(/^: /, ''),
      );
      if (problems.length > 0)
        yield error('records', `${record.pid}: ${problems.join('; ')}`, 'Correct the record.', where);
    }
    const links = linksOf(schema, record.className, definedRecord(schema, record));
    const targets = links.map(({ iri }) => iri);
    for (const iri of await missingTargets(targets, [store, ...(curated ? [curated] : [])]))
      yield warning(
        'references',
        `${record.pid} refers to ${schema.compact(iri)}, which does not exist.`,
        'Store that record, or remove the reference.',
        where,
      );
  }
  const kept = await store.count({});
  if (kept !== number) yield damaged(`has ${number} records, and ${kept} are counted.`);
  for (const [className, ofClass] of counts) {
    const counted = await store.count({ classes: [className] });
    if (counted !== ofClass)
      yield damaged(`has ${ofClass} records of ${className}, and ${counted} are counted.`);
  }
  for (const pid of await withoutEntry(database, store.area.id))
    yield damaged(`the entry of the last change of ${pid} is missing.`);
}

/** The first pids of records whose last change has no entry. */
async function withoutEntry(database: Database, area: number): Promise<string[]> {
  const rows = await database.tuples<[string]>(
    `SELECT r.pid FROM accession_record r WHERE r.area = $1 AND NOT EXISTS (
       SELECT 1 FROM accession_entry e WHERE e.area = r.area AND e.iri = r.iri AND e.revision = r.revision) LIMIT 20`,
    [area],
  );
  return rows.map(([pid]) => pid);
}

function isRecord({ json, pid }: StoredRecord): boolean {
  try {
    const value = parseJson(json);
    return isJsonObject(value) && value.pid === pid;
  } catch {
    return false;
  }
}
