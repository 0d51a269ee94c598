/** When tokens were last used, to the minute. Written once a minute, and at the end. */
import type { TokenDirectory } from '../access/config-tokens.ts';
import { EVERY } from '../durations.ts';
import type { Database } from '../storage/database.ts';
import type { StoreLog } from '../storage/log.ts';
import type { Reader } from '../storage/reader.ts';
import type { Jobs } from '../work/jobs.ts';

/** Restores the times of last uses in former runs, and stores those of this one until it is closed. */
export async function keepTokenUses(
  database: Database,
  tokens: TokenDirectory,
  jobs: Jobs,
  log: StoreLog,
): Promise<{ close(): Promise<void> }> {
  tokens.restoreUses(await readTokenUses(database));
  const save = () => saveTokenUses(database, tokens);
  const job = jobs.add({ name: 'token uses', every: EVERY.tokenUses, run: save });
  return {
    async close() {
      await job.stop();
      await save().catch((err) => log.warn({ err }, 'could not store the last uses of tokens'));
    },
  };
}

/** The times of the last uses that are stored, by name. */
export async function readTokenUses(database: Reader): Promise<Map<string, string>> {
  return new Map(await database.tuples<[string, string]>('SELECT name, time FROM accession_token_use'));
}

/** Stores the uses that are not stored yet, and removes those of deleted tokens. */
async function saveTokenUses(database: Pick<Database, 'transact'>, tokens: TokenDirectory): Promise<void> {
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
