/** Makes one long write in an area, in a thread and with a connection of its own. */
import { join } from 'node:path';
import { chunks } from '../jobs/chunks.ts';
import { LONG_WAIT, openDatabase, storageFailure, transaction } from '../storage/database.ts';
import { SILENT_LOG } from '../storage/log.ts';
import type { AreaPlace, Write, WriteMessage, WriteReply } from '../storage/long-writes.ts';
import { FileTable } from '../storage/record-dir/file-table.ts';
import { Publisher } from '../storage/record-dir/publisher.ts';
import { AREA_FILE, OWN_FOLDER, STAGING } from '../storage/record-dir/record-dir.ts';
import { RecordTable } from '../storage/record-table.ts';
import type { Change, ChangeResult } from '../storage/store.ts';

/**
 * Receives the changes in parts, makes them in one transaction, and yields the results in parts.
 *
 * @throws ServiceError as the `write` of a store does; nothing is changed then
 */
export async function* writeRecords(
  place: AreaPlace,
): AsyncGenerator<WriteReply, undefined, WriteMessage | undefined> {
  const changes: Change[] = [];
  let message = yield {};
  while (message && 'changes' in message) {
    for (const change of message.changes) changes.push(change);
    message = yield {};
  }
  if (!message) return undefined;
  const { results, kept } = await commit(place, { ...message, changes });
  for (const part of chunks(results, ({ replaced }) => replaced?.json.length ?? 0)) yield { results: part };
  for (const part of chunks(kept, () => 100)) yield { kept: part };
  return undefined;
}

async function commit(place: AreaPlace, write: Write) {
  const file = place.kind === 'sqlite' ? place.file : join(place.directory, OWN_FOLDER, AREA_FILE);
  const database = openDatabase(file, LONG_WAIT);
  try {
    const table = new RecordTable(database);
    const publisher =
      place.kind === 'record_dir'
        ? new Publisher({
            ...place,
            ...{ database, table, log: SILENT_LOG, files: new FileTable(database) },
            staging: join(place.directory, OWN_FOLDER, STAGING),
          })
        : undefined;
    await publisher?.prepare(write.changes);
    try {
      const results = transaction(database, () => applyAll(table, publisher, write));
      return { results, kept: publisher?.handOver() ?? [] };
    } catch (error) {
      publisher?.rolledBack();
      throw storageFailure(error, 'Writing');
    }
  } finally {
    database.close();
  }
}

function applyAll(table: RecordTable, publisher: Publisher | undefined, { changes, by, ledger }: Write) {
  const results: ChangeResult[] = [];
  for (const change of changes) {
    const result = table.apply(change, by);
    results.push(result);
    publisher?.stage(change);
  }
  table.links.advance(changes, results);
  for (const change of ledger) table.ledger.apply(change);
  publisher?.keep();
  return results;
}
