/**
 * Notices changes that others make in a record directory, within about half a second. Systems may lose notices of many
 * changes at once, so everything is compared then, and from time to time.
 */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { RETRY } from '../../../core/durations.ts';
import { yielder } from '../../../core/yield.ts';
import { entriesOf, isVisibleFolder } from './disk.ts';
import { isRecordPath, recordFiles } from './record-files.ts';

/** How long changes are gathered before they are reported, in milliseconds; also spares files that are being written. */
const GATHER = 300;
/** With more changed files than this, everything is compared. */
const MOST_CHANGED = 5000;
/**
 * How long to wait before everything is compared again: in milliseconds, and at least in times of what it takes for all
 * directories together.
 */
const USUAL = { pause: 60_000, share: 50 };
/** These times for directories with more folders than {@link MOST_WATCHES}, or for which the system has no watches left. */
const UNWATCHED = { pause: 1000, share: 5 };
/** A watch takes about 1.4 kB. */
const MOST_WATCHES = 50_000;
/** The longest time of a timer, in milliseconds. */
const LONGEST_PAUSE = 2 ** 31 - 1;

/** The callbacks of a watch. */
type Listener = {
  /** Receives the paths of files that may have changed. */
  look(paths: string[]): Promise<void>;
  /** Is asked for a comparison of all files. */
  compareAll(): Promise<void>;
};

export class DirectoryWatch {
  /** Those of the process, which share its time. */
  static readonly #all = new Set<DirectoryWatch>();
  readonly #directory: string;
  readonly #listener: Listener;
  /** By folder, relative to the directory. */
  readonly #watches = new Map<string, FSWatcher>();
  /** Paths that are still to be reported. */
  readonly #changed = new Set<string>();
  #everything = false;
  #reporting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #comparing: NodeJS.Timeout | undefined;
  #pace = USUAL;
  #isWatching = false;

  constructor(directory: string, listener: Listener) {
    this.#directory = directory;
    this.#listener = listener;
  }

  /** Begins to watch. What happens from the return on is noticed. */
  async begin(): Promise<void> {
    this.#isWatching = true;
    DirectoryWatch.#all.add(this);
    await this.#watchOrCompare('');
    this.#compareLater(0);
  }

  /** Waits for what is being reported. */
  async stop(): Promise<void> {
    this.#isWatching = false;
    DirectoryWatch.#all.delete(this);
    for (const watcher of this.#watches.values()) watcher.close();
    this.#watches.clear();
    clearTimeout(this.#timer);
    clearTimeout(this.#comparing);
    this.#timer = undefined;
    await this.#reporting;
  }

  /** Notes a path, or that any may have changed. */
  note(path?: string, pause = GATHER): void {
    if (!this.#isWatching) return;
    if (path === undefined || this.#changed.size >= MOST_CHANGED) this.#everything = true;
    else this.#changed.add(path);
    if (this.#reporting) return;
    this.#timer ??= setTimeout(() => {
      this.#reporting = this.#report();
    }, pause).unref();
  }

  async #report(): Promise<void> {
    this.#timer = undefined;
    const paths = [...this.#changed];
    const everything = this.#everything;
    this.#changed.clear();
    this.#everything = false;
    const failed = await (everything ? this.#listener.compareAll() : this.#listener.look(paths)).catch(
      () => true,
    );
    this.#reporting = undefined;
    if (failed) this.note(undefined, RETRY.files);
    else if (this.#changed.size > 0 || this.#everything) this.note([...this.#changed][0]);
  }

  #compareLater(took: number): void {
    if (!this.#isWatching) return;
    const { pause, share } = this.#pace;
    const others = Array.from(DirectoryWatch.#all).filter((other) => other.#pace === this.#pace).length;
    const wait = Math.min(Math.max(pause, share * took * others), LONGEST_PAUSE);
    clearTimeout(this.#comparing);
    this.#comparing = setTimeout(() => void this.#compare(), wait).unref();
  }

  async #compare(): Promise<void> {
    const start = performance.now();
    await this.#listener.compareAll().catch(() => {});
    this.#compareLater(performance.now() - start);
  }

  /** Watches a folder and all below it; if there are not watches enough, everything is compared every second instead. */
  async #watchOrCompare(folder: string): Promise<void> {
    if (this.#pace === UNWATCHED || (await this.#watchTree(folder))) return;
    for (const watcher of this.#watches.values()) watcher.close();
    this.#watches.clear();
    this.#pace = UNWATCHED;
    this.#compareLater(0);
  }

  async #watchTree(folder: string): Promise<boolean> {
    if (!this.#watchFolder(folder)) return false;
    const yieldIfDue = yielder();
    const inner: string[] = [];
    for (const entry of entriesOf(join(this.#directory, folder))) {
      if (isVisibleFolder(entry)) inner.push(folder ? `${folder}/${entry.name}` : entry.name);
      await yieldIfDue();
    }
    for (const path of inner) if (!(await this.#watchTree(path))) return false;
    return true;
  }

  #watchFolder(folder: string): boolean {
    if (this.#watches.has(folder) || !this.#isWatching) return true;
    if (this.#watches.size >= MOST_WATCHES) return false;
    try {
      const watcher = watch(join(this.#directory, folder), { persistent: false }, (event, name) => {
        if (name === null) return this.note();
        this.#noticed(folder ? `${folder}/${name}` : name, event === 'rename');
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watches.delete(folder);
        this.note();
      });
      this.#watches.set(folder, watcher);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }

  /** @param born whether something came, went or was moved, so that watches on folders of this name are void. */
  #noticed(path: string, born: boolean): void {
    if (isRecordPath(path)) this.note(path);
    else if (born && !path.startsWith('.') && this.#isWatching)
      // A folder that cannot be read or has just gone: the comparison of everything finds out.
      this.#folderNoticed(path).catch(() => this.note(undefined, RETRY.files));
  }

  async #folderNoticed(path: string): Promise<void> {
    const known = this.#unwatchTree(path);
    if (statSync(join(this.#directory, path), { throwIfNoEntry: false })?.isDirectory()) {
      await this.#watchOrCompare(path);
      const yieldIfDue = yielder();
      for (const file of recordFiles(this.#directory, path)) {
        this.note(file);
        await yieldIfDue();
      }
    }
    if (known) this.note();
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
}
