/** What programs of this folder do first. Plain JavaScript, like them. */
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { keepCompiledCode } from './compile-cache.js';

/** Prepares the process, and loads `src/cli/main.ts`: a checkout runs the sources, a package what was made of them. */
export function loadMain() {
  // V8 13.6 may end the process (`Mutex corrupt`) when threads that run WebAssembly compile its wrapper for calls of JavaScript
  // at the same time: in a checkout, each thread strips types with such a module. The wrapper is not compiled then.
  setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');
  keepCompiledCode();
  const sources = new URL('../src/cli/main.ts', import.meta.url);
  return import(existsSync(sources) ? sources.href : new URL('../dist/cli/main.js', import.meta.url).href);
}
