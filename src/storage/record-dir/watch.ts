/** Notices changes that others make in a record directory, within about a second. */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { type Breathe, slices } from '../../jobs/turns.ts';
import { entriesOf, isVisibleFolder } from './disk.ts';
import { FILES_PER_LOOK, isRecordPath, recordFiles } from './record-files.ts';

/** How long changes are gathered before they are reported, in milliseconds; also spares files that are being written. */
const GATHER = 300;
/**
 * With more folders than this (a watch takes about 1.4 kB), or if the system has no watches left, the directory is
 * looked through instead.
 */
const MOST_WATCHES = 50_000;
/** How long to wait between two looks, in milliseconds, and at least in times of what a look takes. */
const LOOK_PAUSE = 1000;
const LOOK_SHARE = 5;

/** How long to wait before everything is compared again when that has failed, in milliseconds. */
const RETRY_PAUSE = 5000;

/** What a watch does with what it notices. */
export type Listener = {
  /** Receives the paths of files that may have changed. */
  reconcilePaths(paths: string[]): Promise<void>;
  /** Is asked for a comparison of all files. */
  reconcileAll(): Promise<void>;
};

export class DirectoryWatch {
  readonly #directory: string;
  readonly #listener: Listener;
  /** By folder, relative to the directory. */
  readonly #watches = new Map<string, FSWatcher>();
  /** Paths that are still to be reported; the empty one means all. */
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(directory: string, listener: Listener) {
    this.#directory = directory;
    this.#listener = listener;
  }

  /** Begins to watch. What happens from the return on is noticed. */
  async begin(): Promise<void> {
    if (!(await this.#watchTree('', slices()))) this.#lookInstead();
  }

  stop(): void {
    this.#stopped = true;
    this.#unwatch();
  }

  #note(path: string, pause = GATHER): void {
    if (this.#stopped) return;
    this.#changed.add(path);
    this.#timer ??= setTimeout(
      () => void this.#report().catch(() => this.#note('', RETRY_PAUSE)),
      pause,
    ).unref();
  }

  async #report(): Promise<void> {
    this.#timer = undefined;
    const paths = [...this.#changed];
    this.#changed.clear();
    if (paths.includes('')) await this.#listener.reconcileAll();
    else await this.#listener.reconcilePaths(paths);
  }

  #lookInstead(): void {
    this.#unwatch();
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#look(), LOOK_PAUSE).unref();
  }

  async #look(): Promise<void> {
    const start = performance.now();
    await this.#listener.reconcileAll().catch(() => {});
    const pause = Math.max(LOOK_PAUSE, LOOK_SHARE * (performance.now() - start));
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#look(), pause).unref();
  }

  /** Watches a folder and all below it. Returns whether there were watches enough. */
  async #watchTree(folder: string, breathe: Breathe): Promise<boolean> {
    if (!this.#watchFolder(folder)) return false;
    for (const inner of await this.#foldersIn(folder, breathe))
      if (!(await this.#watchTree(inner, breathe))) return false;
    return true;
  }

  /** The folders in a folder, also among a million files; none if it cannot be read. */
  async #foldersIn(folder: string, breathe: Breathe): Promise<string[]> {
    const found: string[] = [];
    let seen = 0;
    try {
      for (const entry of entriesOf(join(this.#directory, folder))) {
        if (isVisibleFolder(entry)) found.push(folder ? `${folder}/${entry.name}` : entry.name);
        seen += 1;
        if (seen % FILES_PER_LOOK === 0) await breathe();
      }
    } catch {
      return [];
    }
    return found;
  }

  #watchFolder(folder: string): boolean {
    if (this.#watches.has(folder) || this.#stopped) return true;
    if (this.#watches.size >= MOST_WATCHES) return false;
    try {
      const watcher = watch(join(this.#directory, folder), { persistent: false }, (event, name) => {
        if (name === null) return this.#note('');
        this.#noticed(folder ? `${folder}/${name}` : name, event === 'rename');
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watches.delete(folder);
        this.#note('');
      });
      this.#watches.set(folder, watcher);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }

  /** @param born whether something came, went or was moved, so that watches on folders of this name are void. */
  #noticed(path: string, born: boolean): void {
    if (isRecordPath(path)) this.#note(path);
    else if (born && !path.startsWith('.') && !this.#stopped)
      // A folder that cannot be read or has just gone: the comparison of everything finds out.
      this.#folderNoticed(path).catch(() => this.#note('', RETRY_PAUSE));
  }

  async #folderNoticed(path: string): Promise<void> {
    const known = this.#unwatchTree(path);
    if (statSync(join(this.#directory, path), { throwIfNoEntry: false })?.isDirectory()) {
      const breathe = slices();
      if (!(await this.#watchTree(path, breathe))) {
        this.#lookInstead();
        return;
      }
      let seen = 0;
      for (const file of recordFiles(this.#directory, path)) {
        this.#note(file);
        seen += 1;
        if (seen % FILES_PER_LOOK === 0) await breathe();
      }
    }
    if (known) this.#note('');
  }

  /** Closes the watches on a folder and all below it. Returns whether there was one. */
  #unwatchTree(folder: string): boolean {
    if (!this.#watches.has(folder)) return false;
    for (const [path, watcher] of this.#watches) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      this.#watches.delete(path);
    }
    return true;
  }

  #unwatch(): void {
    for (const watcher of this.#watches.values()) watcher.close();
    this.#watches.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
