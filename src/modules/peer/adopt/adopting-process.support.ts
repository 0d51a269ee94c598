/** Stores that a service adopts in a process of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { type App, type AppOptions, openApp } from '../../../app.ts';
import { configure, person, SCHEMA, storeDirectory, writeRecord, writeTable } from './stores.support.ts';

/** The records of the table. */
export const COUNT = "SELECT records FROM accession_area WHERE path = 'c/curated'";

/** Services by their stores: they are closed before these are removed. */
const appsOf = new Map<string, App[]>();

/** A store of the peer: a table of some records, and a file that has none. */
export function storeToAdopt(t: TestContext, { records = 3, schema = SCHEMA } = {}): string {
  // Hooks run in their order: services are closed before their store is removed.
  const apps: App[] = [];
  t.after(() => Promise.all(apps.map((app) => app.close())));
  const root = storeDirectory(t);
  appsOf.set(root, apps);
  configure(root, { c: { schema, backend: { type: 'sqlite+stl' } }, files: {} });
  const people = Array.from({ length: records }, (_, n) => person(`number-${n}`));
  writeTable(join(root, 'c/curated'), people);
  writeRecord(join(root, 'files/curated'), 'no record', 'Person/broken.yaml');
  return root;
}

/** The service, and the messages of its log. */
export async function open(store: string, more: Partial<AppOptions> = {}) {
  const lines: { readonly msg: string; readonly path?: string }[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const app: App = await openApp({
    store,
    version: '0.0.0-test',
    bootstrap: 'a'.repeat(64),
    logger,
    ...more,
  });
  appsOf.get(store)?.push(app);
  return { app, lines };
}

/** The processes that this one has started to adopt stores. */
export function adopting(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))!;
      const isOurs = Number(parent) === process.pid;
      return isOurs && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('adopt-store')
        ? Number(name)
        : [];
    } catch {
      return [];
    }
  });
}
