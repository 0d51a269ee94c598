/** `accession copy-store`: from one store to another, whatever the backends are. */
import { pino } from 'pino';
import { locationOf } from '../collections/open-collection.ts';
import { type CollectionConfig, type Configuration, mapEntries } from '../config/config.ts';
import { readPersistent, writePersistent } from '../config/record.ts';
import type { BackendConfig, BackendType } from '../storage/backends.ts';
import { type AreaSummary, type CopyStep, copyArea } from '../storage/copy-area.ts';
import { DEFAULT_MAPPING_METHOD } from '../storage/record-dir/file-names.ts';
import type { RecordStore } from '../storage/store.ts';
import { type Given, UsageError } from './command.ts';
import { isDatabaseUrl, type OpenStore, openStoreAt } from './open-store.ts';
import { counted } from './print.ts';
import { startProgress } from './progress.ts';

const BY = { committer: 'copy-store', author: 'copy-store', role: 'service' } as const;

/** `accession copy-store` */
export async function copyStore(given: Given): Promise<number> {
  const [from = '', to = ''] = given.args;
  const backend = given.text('backend') ?? (isDatabaseUrl(to) ? 'postgresql' : 'record_dir');
  if ((backend === 'postgresql') !== isDatabaseUrl(to)) {
    const [what, backends] = isDatabaseUrl(to)
      ? ['database', 'postgresql']
      : ['directory', 'record_dir or sqlite'];
    throw new UsageError(`TARGET is a ${what}, so --backend has to be ${backends}.`);
  }
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const source = await openStoreAt(from, 'exists', log);
  try {
    const target = await openStoreAt(to, 'may be new', log);
    try {
      await copyAll(source, target, backend);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  return 0;
}

async function copyAll(source: OpenStore, target: OpenStore, backend: string): Promise<void> {
  const stored = await readPersistent(source.configuration);
  const { configuration } = stored;
  const next: Configuration = {
    ...configuration,
    collections: mapEntries(configuration.collections, (config) => ({
      ...config,
      backend: backendLike(config.backend, backend),
    })),
  };
  const copied = new Set<string>();
  for (const [name, config] of Object.entries(configuration.collections)) {
    const areas = await source.areasOf(name, config);
    const copies = await target.areasOf(name, next.collections[name] as CollectionConfig);
    for (const label of [null, ...(config.incoming === null ? [] : await areas.labels())]) {
      const path = locationOf(name, config, source.root).locate(label);
      // Collections may share areas, and a zone may be the curated area.
      if (copied.has(path)) continue;
      copied.add(path);
      const what = label === null ? `${name}, curated` : `${name}, zone ${label}`;
      await copyOne(what, await areas.open(label), await copies.open(label));
    }
  }
  // Last, so that no service starts on an unfinished copy. A repeated command finds what it has added itself.
  const done = (await target.configuration.revision()) > (await source.configuration.revision());
  if (!done) {
    await copyOne('configuration', source.configuration, target.configuration, false);
    await target.configuration.write(await writePersistent({ ...stored, configuration: next }), BY);
  }
  process.stderr.write(`copied ${counted(copied.size, 'area')} and the configuration\n`);
}

async function copyOne(what: string, source: RecordStore, target: RecordStore, close = true): Promise<void> {
  let current: CopyStep = 'copy';
  let progress = startProgress(`changes of ${what} copied`, await source.revision());
  let before = await target.revision();
  let summary: AreaSummary;
  try {
    summary = await copyArea(source, target, (step, done, total) => {
      if (step !== current) {
        progress.end();
        progress = startProgress(`changes of ${what} and its copy compared`, total);
        [current, before] = [step, 0];
      }
      progress.advance(done - before);
      before = done;
    });
  } finally {
    progress.end();
    if (close) await source.close();
    if (close) await target.close();
  }
  const { records, entries, ledgerRows, revision } = summary;
  process.stdout.write(
    `${what}: ${counted(records, 'record')}, ${counted(entries, 'entry', 'entries')}, ${counted(ledgerRows, 'ledger row')}, revision ${revision}\n`,
  );
}

/** The backend of another kind, with or without the schema type layer as before. */
function backendLike(backend: BackendConfig, kind: string): BackendConfig {
  const type = (backend.type.endsWith('+stl') ? `${kind}+stl` : kind) as BackendType;
  if (type === 'record_dir' || type === 'record_dir+stl') {
    const mapping_method = 'mapping_method' in backend ? backend.mapping_method : DEFAULT_MAPPING_METHOD;
    return { type, mapping_method };
  }
  return { type } as BackendConfig;
}
