/** When tokens were last used, by day: kept beside the configuration, where the peer passes over it. */
import type { TokenDirectory } from '../access/config-tokens.ts';
import type { JobHandle, Jobs } from '../jobs/jobs.ts';
import type { RecordStore } from '../storage/store.ts';
import { SERVER_ID } from './state.ts';

const TOKEN_USE_KIND = 'token-use';
/** Milliseconds between two looks for uses that are not stored. */
const INTERVAL = 60_000;
/** Rows read at a time. */
const USES_AT_ONCE = 1000;

/** Keeps the days of last uses in the configuration store, and restores those of former runs. */
export async function keepTokenUses(
  store: RecordStore,
  tokens: TokenDirectory,
  jobs: Jobs,
): Promise<JobHandle> {
  tokens.restoreUses(await readTokenUses(store));
  return jobs.add({ name: 'token uses', every: INTERVAL, run: () => saveTokenUses(store, tokens) });
}

/** The days of the last uses that are stored, by name. */
export async function readTokenUses(store: RecordStore): Promise<Map<string, string>> {
  const uses = new Map<string, string>();
  for (let after = ''; ; ) {
    const rows = await store.ledger.list({
      kind: TOKEN_USE_KIND,
      ...(after !== '' && { after }),
      limit: USES_AT_ONCE,
    });
    for (const { id, json } of rows) uses.set(id, JSON.parse(json).day);
    if (rows.length < USES_AT_ONCE) return uses;
    after = rows.at(-1)?.id ?? '';
  }
}

/** Stores the uses that are not stored yet. */
export async function saveTokenUses(store: RecordStore, tokens: TokenDirectory): Promise<void> {
  const uses = tokens.takeUnsaved();
  if (uses.length === 0) return;
  const by = { committer: SERVER_ID, author: SERVER_ID, role: 'service' } as const;
  const rows = uses.map(([id, day]) => ({
    set: { kind: TOKEN_USE_KIND, id, keys: [], json: JSON.stringify({ day }) },
  }));
  try {
    await store.write([], by, rows);
  } catch (error) {
    for (const [name] of uses) tokens.markUnsaved(name);
    throw error;
  }
}
