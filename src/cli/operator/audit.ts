/** `accession audit report`: the changes of curated records, from the entries of their area. */

import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '#linkml/json.ts';
import { entryOf } from '../../core/config/config.ts';
import { areaPath, locate } from '../../core/config/paths.ts';
import { dumpYaml } from '../../core/formats/dump-yaml.ts';
import { recordDifferences } from '../../core/records/describe-change.ts';
import { scanEntries } from '../../core/storage/read/paging.ts';
import type { Entry } from '../../core/storage/store.ts';
import { openStore } from '../open-store.ts';
import { UsageError } from '../outcome.ts';
import { write } from '../print.ts';

/** Prints one JSON object a line, in the order of time. */
export async function auditReport(
  place: string,
  collection: string,
  pattern = '.*',
  { json }: { readonly json?: boolean } = {},
): Promise<number> {
  const expression = readPattern(pattern);
  await using store = await openStore(place);
  const config = entryOf(store.configuration.collections, collection);
  if (!config) throw new UsageError(`${place} has no collection ${collection}.`);
  const path = areaPath(store.root, locate(store.root, config.curated, 'curated-path'));
  const curated = await store.database.existingArea(path);
  let separator = '[\n';
  for await (const entry of curated ? scanEntries(curated, {}) : []) {
    if (!expression.test(entry.pid)) continue;
    const { iri, revision } = entry;
    const [former] = await curated!.entries({ iris: [iri], before: revision, newestFirst: true, limit: 1 });
    const before = former?.json ? parseJson(former.json) : undefined;
    const after = entry.json === null ? undefined : parseJson(entry.json);
    if (json) await write(`${separator}${structured(entry, before, after)}`);
    else await write(`${line(entry, before, after)}\n`);
    separator = ',\n';
  }
  if (json) await write(separator === '[\n' ? '[]\n' : '\n]\n');
  return 0;
}

/** The pattern has to match the whole pid. @throws UsageError */
function readPattern(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch (error) {
    throw new UsageError(`The pattern of pids cannot be used: ${(error as Error).message}`);
  }
}

/** The names are those of the peer's command. */
function line(entry: Entry, before: JsonValue | undefined, after: JsonValue | undefined): string {
  return JSON.stringify({
    'time-stamp': entry.time,
    'record-id': entry.pid,
    'committer-id': entry.committer,
    'author-id': entry.author,
    changes: recordDifferences(before, after),
    'resulting-record': after === undefined ? '' : dumpYaml(after as JsonObject),
  });
}

function structured(entry: Entry, before: JsonValue | undefined, after: JsonValue | undefined): string {
  return canonicalJson({
    pid: entry.pid,
    revision: entry.revision,
    time_stamp: entry.time,
    committer_id: entry.committer,
    author_id: entry.author,
    deleted: after === undefined,
    changes: recordDifferences(before, after) as unknown as JsonObject[],
    record: after ?? null,
  });
}
