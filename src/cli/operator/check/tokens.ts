/** Tokens that are weak, expired, unused, or grant too much. */

import { endOf, type TokenConfig } from '../../../core/access/config-tokens.ts';
import { tokensWithoutZone } from '../../../core/config/edit-tokens.ts';
import { CONFIGURATION_AREA, CONFIGURATION_PID } from '../../../core/config/record.ts';
import { readTokenUses } from '../../../core/config/token-uses.ts';
import { DAY } from '../../../core/durations.ts';
import type { Database } from '../../../core/storage/database.ts';
import type { RecordStore } from '../../../core/storage/store.ts';
import { type CheckContext, error, type Finding, warning } from './finding.ts';

const SHORTEST_SECRET = 16;
/** A token that was not used for so many days is reported. */
const UNUSED_DAYS = 90;

export async function* tokens({ configuration, database }: CheckContext): AsyncGenerator<Finding> {
  const defaults = new Set(
    Object.values(configuration.collections).map(({ default_token }) => default_token),
  );
  const found = tokensWithoutZone(configuration).map((message) =>
    warning('tokens', message, 'Give it an incoming_label.'),
  );
  for (const [name, token] of Object.entries(configuration.tokens)) {
    found.push(...secretOf(name, token), ...endsOf(name, token));
    const gone = Object.keys(token.collections).filter(
      (one) => !Object.hasOwn(configuration.collections, one),
    );
    if (gone.length > 0) {
      const message = `The token '${name}' names collections that do not exist: ${gone.join(', ')}.`;
      found.push(warning('tokens', message, 'Remove them from the token.'));
    }
    const curates = Object.values(token.collections).some(({ mode }) => /CURATOR/.test(mode));
    if (defaults.has(name) && curates) {
      const message = `The default token '${name}' lets everybody curate.`;
      found.push(error('tokens', message, 'Give it a mode that reads only.'));
    }
  }
  const named = Object.entries(configuration.tokens)
    .filter(([name, { representation }]) => representation !== '' && !defaults.has(name))
    .map(([name]) => name);
  yield* found;
  yield* await unused(database, named);
}

function secretOf(name: string, { hashed, representation }: TokenConfig): Finding[] {
  if (hashed || representation === '') return [];
  const plain = warning(
    'tokens',
    `The token '${name}' is stored as it is.`,
    'Store its hash ("accession config hash-token") and hashed: true.',
  );
  if (representation.length >= SHORTEST_SECRET) return [plain];
  const message = `The secret of the token '${name}' is shorter than ${SHORTEST_SECRET} characters.`;
  return [warning('tokens', message, 'Give it a long random one.'), plain];
}

function endsOf(name: string, { expires }: TokenConfig): Finding[] {
  if (expires === undefined || endOf(expires) > Date.now()) return [];
  const message = `The token '${name}' expired: ${expires}.`;
  return [warning('tokens', message, 'Remove it, or change "expires" if it is still needed.')];
}

/** The service notes the minute of each use. */
async function unused(database: Database, names: readonly string[]): Promise<Finding[]> {
  const uses = await readTokenUses(database);
  const limit = new Date(Date.now() - UNUSED_DAYS * DAY).toISOString().slice(0, 10);
  const old = names.filter((name) => (uses.get(name) ?? '') < limit);
  const stored = await database.existingArea(CONFIGURATION_AREA);
  const unknown = new Set(old.filter((name) => !uses.has(name)));
  const created = stored ? await creationDays(stored, unknown) : new Map<string, string>();
  return old.flatMap((name) => {
    const day = uses.get(name)?.slice(0, 10);
    const since = created.get(name);
    if (day === undefined && (since === undefined || since >= limit)) return [];
    const message =
      day === undefined
        ? `The token '${name}' was never used since it was created on ${since}.`
        : `The token '${name}' was last used on ${day}.`;
    return [warning('tokens', message, 'Remove it if it is no longer needed.')];
  });
}

const PAGE = 100;

/** The day of the first configuration that has each of the tokens. */
async function creationDays(store: RecordStore, names: ReadonlySet<string>): Promise<Map<string, string>> {
  const days = new Map<string, string>();
  for (let after = 0; days.size < names.size; ) {
    const entries = await store.entries({ iris: [CONFIGURATION_PID], after, limit: PAGE });
    for (const { json, time } of entries) {
      for (const name of names)
        if (!days.has(name) && json?.includes(JSON.stringify(name))) days.set(name, time.slice(0, 10));
    }
    if (entries.length < PAGE) break;
    after = entries.at(-1)?.revision ?? after;
  }
  return days;
}
