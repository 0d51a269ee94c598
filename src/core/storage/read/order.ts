/** The order of an area as a process that reads has it: its blocks, as of a revision. */

import type { Connection } from '../connection.ts';
import type { Reader } from '../reader.ts';
import type { AreaId } from '../store.ts';
import { type Block, BlockOrder } from './block-order.ts';
import type { Reads } from './records.ts';

/** How often a read is made beside the writer, before it is made in a snapshot. */
const ATTEMPTS = 3;

type BlockRow = [block: number, pid: string, iri: string, counts: string];

/** Follows the blocks of an area. */
export class AreaOrder {
  readonly #area: AreaId;
  #blocks = new BlockOrder([{ id: 0, pid: '', iri: '', counts: new Map(), records: 0 }]);
  /** The revision of the area whose blocks these are; -1 before they are read. */
  #revision = -1;

  constructor(area: AreaId) {
    this.#area = area;
  }

  /**
   * Reads with blocks of the state that the read sees: the revision is compared afterwards, and the read repeated if it is another.
   * Mostly it is not, and that is one statement more. A snapshot has three more, which are round trips on PostgreSQL.
   *
   * @param asOf see {@link Selection.asOf}: the blocks must be of this revision or a later one, and with those of this one the caller
   *   compares
   */
  async read<T>(
    reader: Reads & { snapshot<R>(work: (reader: Reader) => Promise<R>): Promise<R> },
    read: (reads: Reads, blocks: BlockOrder) => Promise<T>,
    asOf = 0,
  ): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0 || this.#revision < asOf) await this.#refresh(reader);
      const ofBlocks = this.#revision;
      const result = await read(reader, this.#blocks);
      const callerCompares = asOf > 0 && ofBlocks === asOf;
      if (callerCompares || (await revisionOf(reader, this.#area)) === ofBlocks) return result;
    }
    return reader.snapshot(async (frozen) => {
      const own = new AreaOrder(this.#area);
      await own.#refresh(frozen);
      return read({ ...frozen, dialect: reader.dialect }, own.#blocks);
    });
  }

  async #refresh(reader: Reader): Promise<void> {
    const revision = await revisionOf(reader, this.#area);
    if (revision === this.#revision) return;
    const rows = await reader.tuples<BlockRow>(
      'SELECT block, start_pid, start_iri, counts FROM accession_block WHERE area = $1 AND revision > $2',
      [this.#area.id, this.#revision],
    );
    if (revision <= this.#revision) return;
    this.#blocks.put(rows.map(toBlock));
    this.#revision = revision;
  }
}

export async function revisionOf(
  reader: Pick<Connection, 'tuples'>,
  area: Pick<AreaId, 'id'>,
): Promise<number> {
  const [revision] = await revisionsOf(reader, [area]);
  return revision!;
}

/** The revisions of areas at one moment. */
export async function revisionsOf(
  reader: Pick<Connection, 'tuples'>,
  areas: readonly Pick<AreaId, 'id'>[],
): Promise<number[]> {
  if (areas.length === 0) return [];
  const each = areas.map((_, at) => `(SELECT revision FROM accession_area WHERE area = $${at + 1})`);
  const [row] = await reader.tuples<(number | null)[]>(
    `SELECT ${each.join(', ')}`,
    areas.map(({ id }) => id),
  );
  return row!.map((revision) => revision ?? 0);
}

function toBlock([id, pid, iri, counts]: BlockRow): Block {
  const entries = new Map(Object.entries(JSON.parse(counts) as Record<string, number>));
  let records = 0;
  for (const number of entries.values()) records += number;
  return { id, pid, iri, counts: entries, records };
}
