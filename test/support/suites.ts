/** Several test files in one process. */
import { AsyncResource } from 'node:async_hooks';
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

/**
 * Declares a suite for each file: its hooks concern its own tests. A test belongs to the suite in whose context its file is
 * loaded, so each file is loaded after the one before: a module that both import might load the second in the context of the
 * first.
 */
export function suitesOf(files: readonly string[]): void {
  let loaded: Promise<unknown> = Promise.resolve();
  // Commands of a test change the directory while the files behind it are loaded.
  const urls = files.map((file) => [file, pathToFileURL(resolve(file)).href] as const);
  for (const [file, url] of urls)
    describe(file, () => {
      const load = AsyncResource.bind(() => import(url));
      loaded = loaded.catch(() => {}).then(load);
      return loaded as Promise<void>;
    });
}
