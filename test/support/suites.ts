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
  for (const file of files)
    describe(file, () => {
      const load = AsyncResource.bind(() => import(pathToFileURL(resolve(file)).href));
      loaded = loaded.catch(() => {}).then(load);
      return loaded as Promise<void>;
    });
}
