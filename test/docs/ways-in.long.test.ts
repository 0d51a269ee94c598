/** The README's two ways in, from the sources to a store that is served, and the pages on each of them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { commandsOf, LABORATORY_PAGES, OFFLINE_PAGES, OTHER_PAGES } from './expected.ts';
import { blocksOf, ROOT, runBlocks, type Shell, startBlock, stopBlock } from './page.ts';

// `npm ci` has run where this test runs: its packages are used.
const [both = '', mistakes = '', install = '', own = ''] = blocksOf('README.md').map((block) =>
  block.replace(/^npm ci && /, ''),
);
// The second command of the block tests: test/example/two-commands.long.test.ts.
const [start = ''] = both.split(/(?<=\n)/);
const node = dirname(process.execPath);

describe('the ways in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-ways-'));
  const checkout = join(folder, 'checkout');
  const prefix = join(folder, 'installed');
  const running = new Set<ChildProcess>();

  before(() => {
    const list = spawnSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const file of list.stdout.split('\0').filter((name) => name !== ''))
      cpSync(join(ROOT, file), join(checkout, file), { verbatimSymlinks: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  });
  after(async () => {
    for (const child of running) await stopBlock(child);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Serves a block on a port, and says what the pages mean by theirs. */
  async function serve(block: string, shell: Shell): Promise<Shell> {
    const [port, another] = [await freePort(), await freePort()];
    running.add(await startBlock(block.replace(/( +#.*)?\n$/, ` --port ${port}`), shell));
    return { ...shell, instead: { ':8000': `:${port}`, '8100': String(another) } };
  }

  async function runPages(shell: Shell, pages: typeof OTHER_PAGES): Promise<void> {
    const { detail } = JSON.parse((await runBlocks([mistakes], shell))[0] ?? '') as {
      detail: { msg: string }[];
    };
    assert.equal(detail.length, 2);
    assert.match(detail[0]?.msg ?? '', /Did you mean family_name\?$/);
    for (const [page, check] of Object.entries(pages)) check(await runBlocks(commandsOf(page), shell));
  }

  test('a checkout serves the laboratory with the first command of the README, and the pages work', async () => {
    const shell = { folder: checkout, path: node };
    const served = await serve(start.replace('npm start', 'npm start --'), shell);
    const path = `${join(checkout, 'bin')}:${join(checkout, 'node_modules/.bin')}`;
    // `pages.test.ts` runs the others in a checkout.
    await runPages({ ...served, path }, OTHER_PAGES);
  });

  test('a package that is made and installed as the README says serves the laboratory, and the pages work', async () => {
    await runBlocks([`export NPM_CONFIG_PREFIX='${prefix}'\n${install}`], { folder: checkout, path: node });
    const shell = { folder: join(folder, 'empty'), path: `${join(prefix, 'bin')}:${node}` };
    mkdirSync(shell.folder);
    const served = await serve('accession init data --demo && exec accession serve data\n', shell);
    await runPages(served, { ...LABORATORY_PAGES, ...OFFLINE_PAGES, ...OTHER_PAGES });
    const { instead } = await serve(own.replace('accession serve', 'exec accession serve'), shell);
    const health = await fetch(`http://127.0.0.1${instead?.[':8000']}/-/health`);
    assert.equal(health.status, 200);
  });
});
