#!/usr/bin/env node
// Plain JavaScript, so that a Node that is too old can say so instead of stumbling over TypeScript.
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { keepCompiledCode } from './compile-cache.js';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `accession needs Node 24.12 or later, this is ${process.versions.node}. Install one from https://nodejs.org, or ` +
      'run "npx --package=node@24 -- accession". In a checkout, "npm start" and ' +
      '"npx --no-install node bin/accession.js" run it with the Node that "npm ci" installs.\n',
  );
  process.exit(1);
}

// V8 takes the size of its young generation only at the start of a process. Its default doubles the memory of a service
// under load and saves no processor time (docs/performance.md), so the process re-executes itself with less; its id stays. A
// channel to the process that has started this one would be lost. The C library, too, takes the number of its heaps only at
// the start: with one for each thread, the same load ends with 40 MB more, and with two, with 10 to 20.
const YOUNG_GENERATION = '--max-semi-space-size';
const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
const mayBeginAnew = process.platform !== 'win32' && process.send === undefined;
if (process.argv[2] === 'serve' && mayBeginAnew && !options.includes(YOUNG_GENERATION)) {
  const args = [`${YOUNG_GENERATION}=4`, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, [process.execPath, ...args], { MALLOC_ARENA_MAX: '1', ...process.env });
}

// By default, V8 lets the heap grow to several times what was in use after the last collection of garbage. 60,000 submissions
// in parts of 5,000 then end with 220 MB instead of 180, in the same processor time. A V8 without the flag says so and goes on.
if (process.argv[2] === 'serve') setFlagsFromString('--heap-growing-percent=30');

// V8 13.6 may end the process (`Mutex corrupt`) when threads that run WebAssembly compile its wrapper for calls of JavaScript
// at the same time: in a checkout, each thread strips types with such a module. The wrapper is not compiled then.
setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');

keepCompiledCode();

// A checkout runs the sources, a package what was made of them.
const sources = new URL('../src/cli/main.ts', import.meta.url);
const { main } = await import(
  existsSync(sources) ? sources.href : new URL('../dist/cli/main.js', import.meta.url).href
);
await main(process.argv.slice(2));
