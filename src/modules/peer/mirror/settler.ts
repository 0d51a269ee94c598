/** Flushes the files of a directory some at a time, and saves their rows with the cursor. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { flushIfThere } from './disk.ts';
import type { Place } from './file-jobs.ts';
import type { FileTable } from './file-table.ts';
import { PEER_INDEX } from './peer-index.ts';
import type { Publisher } from './publish.ts';

/** Parallel flushes cost the disk hardly more than one. */
const FLUSHED_AT_ONCE = 64;

type SettlerOptions = {
  readonly place: Place;
  readonly files: FileTable;
  readonly publisher: Publisher;
  /** Runs work while no row changes. */
  readonly locked: <T>(work: () => Promise<T>) => Promise<T>;
};

export class Settler {
  readonly #options: SettlerOptions;
  /** The cursor in the database; -1 while it is unknown. */
  saved = -1;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  async settle(): Promise<void> {
    const { files, publisher, locked } = this.#options;
    const { cursor, rows, paths } = await locked(async () => ({
      cursor: publisher.cursor,
      rows: files.take(),
      paths: publisher.takeUnflushed(),
    }));
    if (rows.size === 0 && cursor === this.saved) return;
    try {
      await this.#flush(paths);
      if (paths.size > 0) this.removePeerIndex();
      await files.save(rows, Number.isFinite(cursor) ? cursor : undefined);
      this.saved = cursor;
    } catch (error) {
      publisher.keepUnflushed(paths);
      files.keepUnsaved(rows);
      throw error;
    }
  }

  /** Removes the index that the peer has made of the files: it would be wrong. */
  removePeerIndex(): void {
    rmSync(join(this.#options.place.directory, PEER_INDEX), { force: true });
  }

  /** Flushes files, and the folders that they are in or were removed from. */
  async #flush(paths: ReadonlySet<string>): Promise<void> {
    const { directory } = this.#options.place;
    const folders = new Set([...paths].flatMap(foldersOf));
    for (const some of [[...paths], [...folders]])
      for (let start = 0; start < some.length; start += FLUSHED_AT_ONCE)
        await Promise.all(
          some.slice(start, start + FLUSHED_AT_ONCE).map((path) => flushIfThere(`${directory}/${path}`)),
        );
  }
}

/** The folders that a path goes through, up to the area's own. */
function foldersOf(path: string): string[] {
  const at = path.lastIndexOf('/');
  return at < 0 ? ['.'] : [path.slice(0, at), ...foldersOf(path.slice(0, at))];
}
