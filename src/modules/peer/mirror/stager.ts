/** Writes the files of changes into the hidden folder of a directory, before the commit that they belong to. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDiskFull, isReadOnlyDisk, ServiceError } from '../../../core/errors.ts';
import { type Change, iriOfChange } from '../../../core/storage/store.ts';
import {
  FILES_AT_ONCE,
  type KnownFile,
  OWN_FOLDER,
  type Place,
  STAGING,
  type StagedFile,
} from './file-jobs.ts';
import type { FileTable, FoundRows } from './file-table.ts';
import type { FileWorker } from './file-worker.ts';
import { outsideOf, type Publisher } from './publish.ts';

/** How often files are staged again because others have changed them. */
const MOST_ATTEMPTS = 3;

type StagerOptions = {
  readonly place: Place;
  readonly worker: FileWorker;
  readonly files: FileTable;
  readonly publisher: Publisher;
  /** Whether the files follow the entries: then only files of others are looked for. */
  readonly follows: boolean;
  /** Adopts what others have done to files. */
  readonly look: (paths: readonly string[]) => Promise<void>;
};

type StagedFiles = {
  readonly staged: ReadonlyMap<Change, StagedFile>;
  readonly found: FoundRows;
};

export class Stager {
  readonly #options: StagerOptions;
  /** Temporary names begin with it: those with another beginning are left from a crash. */
  readonly #prefix = `${process.pid}-${Date.now().toString(36)}-`;
  #count = 0;

  constructor(options: StagerOptions) {
    this.#options = options;
  }

  /**
   * Stages the files of changes; what others have done to those that they replace comes first.
   *
   * @throws ServiceError `storage_full`, `storage_failed`
   */
  async stage(changes: readonly Change[]): Promise<StagedFiles> {
    const { follows, files, publisher, look } = this.#options;
    const own = follows ? [] : changes.filter((change) => !outsideOf(change));
    const paths = changes.flatMap(
      (change) => outsideOf(change)?.path ?? ('put' in change ? publisher.pathsOf(change.put) : []),
    );
    for (let attempt = 1; ; attempt++) {
      const found = await files.find(paths, changes.map(iriOfChange));
      const staged = new Map<Change, StagedFile>();
      const changed = await this.#stageInto(staged, own, found, attempt < MOST_ATTEMPTS);
      if (changed.length === 0) return { staged, found };
      await this.discard(staged);
      await look(changed);
    }
  }

  async discard(staged: ReadonlyMap<Change, StagedFile>): Promise<void> {
    if (staged.size === 0) return;
    const { worker, place } = this.#options;
    const names = Array.from(staged.values(), ({ name }) => name);
    // Leftovers are removed at the next start.
    await worker.run('discard', place, names).catch(() => {});
  }

  /** Removes what a crash has left in the hidden folder. */
  removeLeftovers(): void {
    const folder = join(this.#options.place.directory, OWN_FOLDER, STAGING);
    for (const name of readdirSync(folder))
      if (!name.startsWith(this.#prefix)) rmSync(join(folder, name), { force: true });
  }

  /** @returns the paths of files that others have changed */
  async #stageInto(
    staged: Map<Change, StagedFile>,
    changes: readonly Change[],
    found: FoundRows,
    check: boolean,
  ): Promise<readonly string[]> {
    const { worker, place } = this.#options;
    for (let start = 0; start < changes.length; start += FILES_AT_ONCE) {
      const some = changes.slice(start, start + FILES_AT_ONCE);
      const puts = some.filter((change) => 'put' in change);
      const files = puts.map(({ put }) => ({ name: `${this.#prefix}${++this.#count}`, json: put.json }));
      const checks = check ? some.flatMap((change) => this.#concerned(change, found)) : [];
      try {
        const { changed, contents } = await worker.run('stage', place, { checks, files });
        if (changed.length > 0) return changed;
        for (const [at, change] of puts.entries()) staged.set(change, { ...files[at]!, ...contents[at]! });
      } catch (error) {
        await this.discard(staged);
        throw stagingFailure(error);
      }
    }
    return [];
  }

  /** The files that a change replaces or removes, as they are known. */
  #concerned(change: Change, found: FoundRows): KnownFile[] {
    const former = found.of(iriOfChange(change))?.path;
    const [path] = 'put' in change ? this.#options.publisher.pathsOf(change.put) : [];
    return [...new Set([former, path])].flatMap((one) =>
      one === undefined ? [] : { path: one, ...found.at(one) },
    );
  }
}

function stagingFailure(error: unknown): ServiceError {
  const [code, reason] = isDiskFull(error)
    ? (['storage_full', 'the disk of the store is full'] as const)
    : isReadOnlyDisk(error)
      ? (['storage_unavailable', 'their file system is read-only'] as const)
      : (['storage_failed', `the system reported ${(error as Error).message}`] as const);
  const message = `Nothing was changed: the files of the records could not be written: ${reason}.`;
  return new ServiceError(code, message, [], { cause: error });
}
