#!/usr/bin/env node
// Plain JavaScript, so that a Node that is too old can say so instead of stumbling over TypeScript.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `accession needs Node 24.12 or later, this is ${process.versions.node}. ` +
      'In a checkout, "npm start" and "npx --no-install node bin/accession.js" run it with the Node that npm ci installs.\n',
  );
  process.exit(1);
}

// Kept beside the packages: the next start reads compiled code instead of compiling again. Where it can't be kept, nothing is.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/accession', import.meta.url)));

// A checkout runs the sources, a package what was made of them.
const sources = new URL('../src/cli/main.ts', import.meta.url);
const { main } = await import(
  existsSync(sources) ? sources.href : new URL('../dist/cli/main.js', import.meta.url).href
);
await main(process.argv.slice(2));
