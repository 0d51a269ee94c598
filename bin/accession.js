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
