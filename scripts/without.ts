/**
 * Shows that modules can be taken out, in temporary checkouts: folders of modules and their rows in the lists go, generated pages are
 * written again, links to their pages go, types are checked, and tests run. The first two, with a run of all tests, show each capability absent and present.
 *
 *     node scripts/without.ts --bare              no module: types, and all tests that remain
 *     node scripts/without.ts --alone             each module with those that it uses, and no other: types, and its own tests
 *     node scripts/without.ts --all               each module out in turn, with those that use it: types and start
 *     node scripts/without.ts webhooks            one module out, with those that use it: types, and the tests of the specification
 *     node scripts/without.ts --bare test/api     these tests instead; with --alone, of the modules whose tests are named
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MODULES } from '../src/modules.ts';
import { MODULE_LISTS } from './module-lists.ts';

const root = resolve(import.meta.dirname, '..');
const NAMES = MODULES.map(({ name }) => name);
/** The tests of the specification, and of what has to hold without any module. */
const SPECIFICATION = ['test/api', 'test/laws'];
/** The lists have what there is, and the service starts. */
const START = ['test/laws/modules', 'test/api/service'];

/** A checkout to try: the modules in it, and the tests that run there. */
type Trial = { readonly of: string; readonly modules: readonly string[]; readonly tests: readonly string[] };

const results = trials().map((trial) => ({ of: trial.of, ...tried(trial) }));
console.table(results);
process.exitCode = results.every((result) => !Object.values(result).includes('fail')) ? 0 : 1;

function trials(): Trial[] {
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseArgs({
    options: { bare: flag, alone: flag, all: flag },
    allowPositionals: true,
  });
  const without = (name: string, tests: readonly string[]): Trial => {
    const out = closure(name, (one) => NAMES.filter((other) => usesOf(other).includes(one)));
    return { of: `without ${out.join(' ')}`, modules: NAMES.filter((one) => !out.includes(one)), tests };
  };
  if (values.bare) return [{ of: 'bare', modules: [], tests: positionals }];
  if (values.alone) return NAMES.flatMap((name) => alone(name, positionals));
  if (values.all) return NAMES.map((name) => without(name, START));
  const [name = '', ...tests] = positionals;
  if (!NAMES.includes(name)) {
    console.error(
      `Expected --bare, --alone, --all or a module, found '${name}'. Modules: ${NAMES.join(', ')}.`,
    );
    process.exit(2);
  }
  return [without(name, tests.length > 0 ? tests : SPECIFICATION)];
}

/** A module with those that it uses, and its own tests, or those of them that are named. Nothing if none of them is. */
function alone(name: string, named: readonly string[]): Trial[] {
  const folder = `src/modules/${name}/`;
  const tests = named.length === 0 ? [folder] : named.filter((path) => `${path}/`.startsWith(folder));
  const modules = closure(name, usesOf);
  return tests.length === 0 ? [] : [{ of: `alone ${modules.join(' ')}`, modules, tests }];
}

function usesOf(name: string): readonly string[] {
  return MODULES.find((module) => module.name === name)?.uses ?? [];
}

/** The module, and what follows from it, directly or by others. */
function closure(name: string, next: (name: string) => readonly string[]): string[] {
  return [...new Set([name, ...next(name).flatMap((one) => closure(one, next))])];
}

function tried({ modules, tests }: Trial) {
  const checkout = mkdtempSync(join(tmpdir(), 'accession-without-'));
  const passes = (program: string, ...args: string[]) => (run(checkout, program, ...args) ? 'pass' : 'fail');
  try {
    copyTo(checkout, modules);
    const absent = NAMES.filter((name) => !modules.includes(name));
    for (const list of MODULE_LISTS) removeRows(join(checkout, list), absent);
    for (const page of globSync('{*.md,docs/**/*.md,src/modules/*/README.md}', { cwd: checkout }))
      removeLinks(join(checkout, page), absent);
    run(checkout, 'node', 'scripts/module-index.ts');
    run(checkout, 'node', 'scripts/command-reference.ts');
    return {
      types: passes('tsc', '--noEmit'),
      desk: passes('tsc', '--noEmit', '-p', 'ui'),
      tests: passes('node', 'scripts/test.ts', ...tests),
    };
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
}

/** Copies what git has or would add, with some of the modules. */
function copyTo(checkout: string, modules: readonly string[]): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of listed.split('\n')) {
    const [, module] = /^src\/modules\/([^/]+)\//.exec(file) ?? [];
    const isLeftOut = module !== undefined && !modules.includes(module);
    // A file that was deleted and not committed is listed, too.
    if (file !== '' && !isLeftOut && existsSync(join(root, file)))
      cpSync(join(root, file), join(checkout, file));
  }
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
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

/** Leaves the text of links to pages of modules. */
function removeLinks(page: string, modules: readonly string[]): void {
  const text = readFileSync(page, 'utf8');
  const names = modules.join('|');
  const link = new RegExp(`\\[([^\\]]+)\\]\\((?:[^)\\s]*modules|\\.\\.)/(?:${names})/[^)\\s]*\\)`, 'g');
  writeFileSync(page, text.replace(link, '$1'));
}

function run(cwd: string, program: string, ...args: string[]): boolean {
  const path = join(root, 'node_modules/.bin', program);
  const { status } = spawnSync(path, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  return status === 0;
}
