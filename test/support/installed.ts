/**
 * Packages of others that read what we send or show. They are loaded by their names: a checkout whose packages were installed
 * before them skips the tests that need them.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

type Judge = 'standardwebhooks' | 'cloudevents' | 'eventsource' | '@adobe/structured-data-validator';

/** @returns the reason to skip a test, or false if the package is installed */
export function missing(name: Judge): string | false {
  try {
    require.resolve(name);
    return false;
  } catch {
    return `${name} is not installed: run npm install`;
  }
}

/** What a package exports. @throws if it is not installed */
export function exportsOf(name: Judge): unknown {
  return require(name);
}
