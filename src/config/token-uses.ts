/** When tokens were last used, by day. */
import type { TokenDirectory } from '../access/config-tokens.ts';
import { EVERY } from '../durations.ts';
import type { Database, Reader } from '../storage/database.ts';
import type { JobHandle, Jobs } from '../work/jobs.ts';

/** Stores the days of last uses, and restores those of former runs. */
export async function keepTokenUses(
  database: Database,
  tokens: TokenDirectory,
  jobs: Jobs,
): Promise<JobHandle> {
  tokens.restoreUses(await readTokenUses(database));
  return jobs.add({ name: 'token uses', every: EVERY.tokenUses, run: () => saveTokenUses(database, tokens) });
}

/** The days of the last uses that are stored, by name. */
export async function readTokenUses(database: Reader): Promise<Map<string, string>> {
  return new Map(await database.tuples<[string, string]>('SELECT name, day FROM accession_token_use'));
}

/** Stores the uses that are not stored yet. */
export async function saveTokenUses(
  database: Pick<Database, 'transact'>,
  tokens: TokenDirectory,
): Promise<void> {
  const uses = tokens.takeUnsaved();
  if (uses.length === 0) return;
  try {
    await database.transact(async (draft) => {
      for (const use of uses)
        draft.run(
          `INSERT INTO accession_token_use (name, day) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET day = excluded.day`,
          use,
        );
    });
  } catch (error) {
    for (const [name] of uses) tokens.markUnsaved(name);
    throw error;
  }
}
