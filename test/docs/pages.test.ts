/**
 * The pages that a newcomer runs, in a checkout: every command, in one shell for each page, on a new laboratory. The short tests have
 * the page about HTTP, and the long ones the other pages.
 */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { lacks } from '../support/lacks.ts';
import { isLong } from '../support/tier.ts';
import { commandsOf, LABORATORY_PAGES, NEEDS, OFFLINE_PAGES } from './expected.ts';
import { MODULE_PAGES } from './modules.ts';
import { ROOT, runBlocks, type Shell, startBlock, stopBlock } from './page.ts';

const FIRST = 'docs/http.md';

const curl = spawnSync('curl', ['--version']).status === 0;

describe('in a checkout', { skip: curl ? false : 'curl is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-pages-'));
  let shell: Shell;
  let laboratory: ChildProcess;

  before(async () => {
    const port = await freePort();
    shell = {
      folder,
      path: `${join(ROOT, 'bin')}:${dirname(process.execPath)}`,
      instead: { ':8000': `:${port}` },
    };
    laboratory = await startBlock(`exec node '${ROOT}/scripts/start-example.ts' --port ${port}`, shell);
  });
  after(async () => {
    await stopBlock(laboratory);
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [page, check] of Object.entries({ ...LABORATORY_PAGES, ...OFFLINE_PAGES, ...MODULE_PAGES })) {
    if (!isLong && page !== FIRST) continue;
    const skip = page in NEEDS && lacks(NEEDS[page]!);
    test(page, { skip }, async () => check(await runBlocks(commandsOf(page), shell)));
  }
});
