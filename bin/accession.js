#!/usr/bin/env node
// Plain JavaScript, so that a Node that is too old can say so instead of stumbling over TypeScript.
import { loadMain } from './start.js';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `accession needs Node 24.12 or later, this is ${process.versions.node}. Install one from https://nodejs.org, or ` +
      'run "npx --package=node@24 -- accession". In a checkout, "npm start" and ' +
      '"npx --no-install node bin/accession.js" run it with the Node that "npm ci" installs.\n',
  );
  process.exit(1);
}

const { main } = await loadMain();
await main(process.argv.slice(2));
