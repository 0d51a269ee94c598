/** When tokens were last used, to the minute. Written once a minute, and at the end. */
import type { TokenDirectory } from '../access/config-tokens.ts';
import { EVERY } from '../durations.ts';
import type { Database } from '../storage/database.ts';
import type { Reader } from '../storage/reader.ts';
import type { JobHandle, Jobs } from '../work/jobs.ts';

/** Stores the times of last uses, and restores those of former runs. */
export async function keepTokenUses(
  database: Database,
  tokens: TokenDirectory,
  jobs: Jobs,
): Promise<JobHandle> {
  tokens.restoreUses(await readTokenUses(database));
  return jobs.add({ name: 'token uses', every: EVERY.tokenUses, run: () => saveTokenUses(database, tokens) });
}

/** The times of the last uses that are stored, by name. */
export async function readTokenUses(database: Reader): Promise<Map<string, string>> {
  return new Map(await database.tuples<[string, string]>('SELECT name, time FROM accession_token_use'));
}

/** Stores the uses that are not stored yet, and removes those of deleted tokens. */
export async function saveTokenUses(
  database: Pick<Database, 'transact'>,
  tokens: TokenDirectory,
): Promise<void> {
  const uses = tokens.takeUnsaved();
  if (uses.length === 0) return;
  try {
    await database.transact(async (draft) => {
      for (const [name, time] of uses)
        if (time === undefined) draft.run('DELETE FROM accession_token_use WHERE name = $1', [name]);
        else
          draft.run(
            `INSERT INTO accession_token_use (name, time) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET time = excluded.time`,
            [name, time],
          );
    });
  } catch (error) {
    for (const [name] of uses) tokens.markUnsaved(name);
    throw error;
  }
}
