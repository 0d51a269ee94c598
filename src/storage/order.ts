/** The order of an area as a process that reads has it: its blocks, as of a revision. */
import { type Block, BlockOrder } from './block-order.ts';
import type { Reader } from './database.ts';
import type { AreaId } from './store.ts';

/** How often a read is repeated that a writer has outrun, before it is made in a snapshot. */
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

  /** Reads with blocks that fit what the read sees. @param read is repeated if they do not: mostly, nothing has changed */
  async read<T>(
    reader: Reader & { snapshot<R>(work: (reader: Reader) => Promise<R>): Promise<R> },
    read: (reader: Reader, blocks: BlockOrder) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0 || this.#revision < 0) await this.#refresh(reader);
      const seen = this.#revision;
      const result = await read(reader, this.#blocks);
      if ((await revisionOf(reader, this.#area)) === seen) return result;
    }
    return reader.snapshot(async (frozen) => {
      const own = new AreaOrder(this.#area);
      await own.#refresh(frozen);
      return read(frozen, own.#blocks);
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

export async function revisionOf(reader: Reader, { id }: AreaId): Promise<number> {
  const [row] = await reader.tuples<[number]>('SELECT revision FROM accession_area WHERE area = $1', [id]);
  return row?.[0] ?? 0;
}

function toBlock([id, pid, iri, counts]: BlockRow): Block {
  const entries = new Map(Object.entries(JSON.parse(counts) as Record<string, number>));
  let records = 0;
  for (const number of entries.values()) records += number;
  return { id, pid, iri, counts: entries, records };
}
