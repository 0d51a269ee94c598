/**
 * Takes a module out, with those that use it: in a temporary checkout, the folder and its rows in the lists go, generated pages are
 * written again, types are checked, and tests run. Some tests of the core use modules, and fail without them.
 *
 *     node scripts/without.ts webhooks            types, and the tests of the specification
 *     node scripts/without.ts webhooks test/api   these tests instead
 *     node scripts/without.ts --all               each module, types and start only
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MODULES } from '../src/modules.ts';
import { MODULE_LISTS } from './module-lists.ts';

const root = resolve(import.meta.dirname, '..');
/** The tests of the specification, and of what has to hold without any module. */
const TESTS = ['test/api', 'test/laws'];

const [name = '--all', ...tests] = process.argv.slice(2);
const names = name === '--all' ? MODULES.map((module) => module.name) : [name];
const unknown = names.find((one) => !MODULES.some((module) => module.name === one));
if (unknown !== undefined) {
  console.error(
    `There is no module '${unknown}'. Modules: ${MODULES.map((module) => module.name).join(', ')}.`,
  );
  process.exit(2);
}
const results = names.map((one) => ({
  module: one,
  ...without(
    one,
    name === '--all' ? ['test/laws/modules', 'test/api/service'] : tests.length > 0 ? tests : TESTS,
  ),
}));
console.table(results);
process.exitCode = results.every(({ types, tests: ran }) => types === 'pass' && ran === 'pass') ? 0 : 1;

/** The module, and those that use it, directly or by others. */
function withUsers(name: string): string[] {
  const users = MODULES.filter(({ uses = [] }) => uses.includes(name)).flatMap((module) =>
    withUsers(module.name),
  );
  return [...new Set([name, ...users])];
}

function without(name: string, tests: readonly string[]) {
  const out = withUsers(name);
  const checkout = mkdtempSync(join(tmpdir(), 'accession-without-'));
  try {
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    for (const file of files.split('\n').filter((one) => one !== ''))
      if (!out.some((one) => file.startsWith(`src/modules/${one}/`)))
        cpSync(join(root, file), join(checkout, file));
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
    for (const list of MODULE_LISTS) removeRows(join(checkout, list), out);
    run(checkout, 'node', 'scripts/module-index.ts');
    run(checkout, 'node', 'scripts/command-reference.ts');
    const types = run(checkout, 'tsc', '--noEmit') && run(checkout, 'tsc', '--noEmit', '-p', 'ui');
    const ran = run(checkout, 'node', 'scripts/test.ts', ...tests);
    return { out: out.join(' '), types: types ? 'pass' : 'fail', tests: ran ? 'pass' : 'fail' };
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
}

/** Removes the import of each module from a list, and its name, or the row that exports its functions. */
function removeRows(file: string, modules: readonly string[]): void {
  let text = readFileSync(file, 'utf8');
  for (const module of modules) {
    text = text.replace(new RegExp(`^export \\* from '[^']*/modules/${module}/[^']*';\\n`, 'm'), '');
    const row = new RegExp(`^import \\{ (\\w+) \\} from '[^']*/modules/${module}/[^']*';\\n`, 'm');
    const found = row.exec(text);
    if (!found) continue;
    text = text.replace(row, '').replace(new RegExp(`(?<=\\[[^\\]]*)\\b${found[1]}\\b,? ?`), '');
  }
  writeFileSync(file, text);
}

function run(cwd: string, program: string, ...args: string[]): boolean {
  const path = join(root, 'node_modules/.bin', program);
  const { status } = spawnSync(path, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  return status === 0;
}
