/** Compares a directory as a whole with what is known of its files, and makes it again if it has lost them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MappingMethod } from '../../../core/config/backends.ts';
import { DIRECTORY_CONFIG_FILE, writeDirectoryConfig } from '../../../core/formats/directory-config.ts';
import type { StoreLog } from '../../../core/storage/log.ts';
import { yielder } from '../../../core/yield.ts';
import { stampOf } from './disk.ts';
import { FILES_AT_ONCE, type Place } from './file-jobs.ts';
import type { FileTable } from './file-table.ts';
import { recordFiles } from './record-files.ts';

type ComparisonOptions = {
  readonly place: Place;
  readonly mapping: MappingMethod;
  readonly files: FileTable;
  /** The address of the schema, as the collection names it. */
  readonly address: () => string;
  /** Whether this instance keeps the files: a comparison ends if it does not any more. */
  readonly leads: () => boolean;
  /** Looks at files, and makes those of records that are newer. */
  readonly look: (paths: readonly string[]) => Promise<void>;
  /** Saves the rows of files. */
  readonly settle: () => Promise<void>;
  /** Has the directory compared soon. */
  readonly compareSoon: () => void;
  readonly log: StoreLog;
};

export class Comparison {
  readonly #options: ComparisonOptions;
  #hasVanished = false;

  constructor(options: ComparisonOptions) {
    this.#options = options;
  }

  get #hasNoConfig(): boolean {
    return !existsSync(join(this.#options.place.directory, DIRECTORY_CONFIG_FILE));
  }

  /**
   * Detects that the directory has lost its files, and has them made again: one without its description was removed or emptied
   * as a whole, which is not meant for each of its records.
   *
   * @returns whether it has, until they are back
   */
  detectVanished(): boolean {
    if (this.#hasVanished || !this.#hasNoConfig) return this.#hasVanished;
    this.#hasVanished = true;
    const { place, log, compareSoon } = this.#options;
    log.warn(
      { directory: place.directory },
      'the files of an area are lost; they are made again from the database',
    );
    compareSoon();
    return true;
  }

  /** Writes the description of the directory. One that has lost its files gets it when they are back. */
  describe(): void {
    if (!this.#hasVanished) this.#writeConfig();
  }

  /** Files that are gone come last: until then, another file may have their record, which was moved. */
  async run(): Promise<void> {
    const { place, files, look, settle, leads } = this.#options;
    let some: string[] = [];
    for (const path of recordFiles(place.directory)) {
      if (!leads()) return;
      some.push(path);
      if (some.length < FILES_AT_ONCE) continue;
      await look(some);
      some = [];
    }
    await look(some);
    // Pages have the rows that are saved.
    await settle();
    const yieldIfDue = yielder();
    for (let after: string | undefined = ''; after !== undefined && leads(); await yieldIfDue()) {
      const { rows, next } = await files.page(after);
      const gone = rows.filter(({ path }) => !stampOf(`${place.directory}/${path}`));
      if (gone.length > 0) await look(gone.map(({ path }) => path));
      after = next;
    }
    if (!this.#hasVanished || !leads()) return;
    this.#writeConfig();
    this.#hasVanished = false;
  }

  #writeConfig(): void {
    const { place, mapping, address } = this.#options;
    writeDirectoryConfig(place.directory, mapping, address());
  }
}
