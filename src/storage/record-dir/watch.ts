/** Notices changes that others make in a record directory, within about a second. */
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isRecordPath, recordFiles } from './reconcile.ts';

/** How long changes are gathered before they are told, in milliseconds; also spares files that are being written. */
const GATHER = 300;
/**
 * With more folders than this (a watch takes about 1.4 kB), or where the system has no watches left, the directory is
 * looked through instead.
 */
const MOST_WATCHES = 50_000;
/** How long to wait between two looks, in milliseconds, and at least in times of what a look takes. */
const LOOK_PAUSE = 1000;
const LOOK_SHARE = 5;

/** How long to wait before everything is compared again when that has failed, in milliseconds. */
const RETRY_PAUSE = 5000;

export type Watch = { stop(): void };

/**
 * @param some is told the paths of files that may have changed.
 * @param everything is asked for a comparison of all files.
 */
export function watchDirectory(
  directory: string,
  some: (paths: string[]) => Promise<void>,
  everything: () => Promise<void>,
): Watch {
  const watches = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const tell = async () => {
    timer = undefined;
    const paths = [...changed];
    changed.clear();
    if (paths.includes('')) await everything();
    else await some(paths);
  };

  const note = (path: string, pause = GATHER) => {
    if (stopped) return;
    changed.add(path);
    timer ??= setTimeout(() => void tell().catch(() => note('', RETRY_PAUSE)), pause).unref();
  };

  const look = async () => {
    const start = performance.now();
    await everything().catch(() => {});
    const pause = Math.max(LOOK_PAUSE, LOOK_SHARE * (performance.now() - start));
    if (!stopped) timer = setTimeout(() => void look(), pause).unref();
  };

  /** Closes the watches on a folder and all below it. Returns whether there was one. */
  const unwatchTree = (folder: string): boolean => {
    if (!watches.has(folder)) return false;
    for (const [path, watcher] of watches) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      watches.delete(path);
    }
    return true;
  };

  const unwatch = () => {
    for (const watcher of watches.values()) watcher.close();
    watches.clear();
    clearTimeout(timer);
    timer = undefined;
  };

  const lookInstead = () => {
    unwatch();
    timer = setTimeout(() => void look(), LOOK_PAUSE).unref();
  };

  const watchFolder = (folder: string): boolean => {
    if (watches.has(folder)) return true;
    if (watches.size >= MOST_WATCHES) return false;
    try {
      const watcher = watch(join(directory, folder), { persistent: false }, (event, name) => {
        if (name === null) return note('');
        try {
          noticed(folder ? `${folder}/${name}` : name, event === 'rename');
        } catch {
          // A folder that can't be read or has just gone: the comparison of everything finds out.
          note('', RETRY_PAUSE);
        }
      });
      watcher.on('error', () => {
        watcher.close();
        watches.delete(folder);
        note('');
      });
      watches.set(folder, watcher);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  };

  const watchTree = (folder: string): boolean => {
    if (!watchFolder(folder)) return false;
    return subfolders(directory, folder).every(watchTree);
  };

  /** @param born whether something came, went or was moved, so that watches on folders of this name are void. */
  const noticed = (path: string, born: boolean) => {
    if (isRecordPath(path)) return note(path);
    if (path.startsWith('.') || stopped || !born) return;
    const known = unwatchTree(path);
    const stat = statSync(join(directory, path), { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      if (!watchTree(path)) return lookInstead();
      for (const file of recordFiles(directory, path)) note(file);
    }
    if (known) note('');
  };

  if (!watchTree('')) lookInstead();
  return {
    stop: () => {
      stopped = true;
      unwatch();
    },
  };
}

function subfolders(directory: string, folder: string): string[] {
  try {
    return readdirSync(join(directory, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => (folder ? `${folder}/${entry.name}` : entry.name));
  } catch {
    return [];
  }
}
