/** Holds the rules of modules: who imports whom, whose tables statements name, and that the lists have every module. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { indexWithModules } from '../../scripts/module-index.ts';
import { LISTED_FILES, MODULE_LISTS } from '../../scripts/module-lists.ts';
import { MODULES as COMMAND_MODULES } from '../../src/cli/modules.ts';
import { TABLES } from '../../src/core/storage/layout.ts';
import { tableNames } from '../../src/core/storage/tables.ts';
import { provided } from '../../src/module.ts';
import { MODULES } from '../../src/modules.ts';

const FOLDER = /^src\/modules\/([^/]+)\//;

const sources = globSync('{src,ui}/**/*.{ts,tsx}').filter(
  (file) => !/\.(test|contract|expected|support|bench)\.tsx?$/.test(file),
);
const isList = (file: string) => MODULE_LISTS.some((list) => list === file);
const moduleOf = (file: string) => FOLDER.exec(file)?.[1];

/** The project's own files that a file imports, types included. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    join(dirname(file), path),
  );
}

test('the core imports no module', () => {
  const offences = sources
    .filter((file) => moduleOf(file) === undefined && !isList(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((path) => moduleOf(path) !== undefined)
        .map((path) => `${file} imports ${path}`),
    );
  assert.deepEqual(offences, []);
});

test('the core imports nothing of the service around it but the list of its threads', () => {
  const offences = sources
    .filter((file) => file.startsWith('src/core/'))
    .flatMap((file) =>
      importsOf(file)
        .filter((path) => !path.startsWith('src/core/') && path !== 'src/threads.ts')
        .map((path) => `${file} imports ${path}`),
    );
  assert.deepEqual(offences, []);
});

test('a module imports only the core and the modules that it names in `uses`', () => {
  const offences = sources.flatMap((file) => {
    const name = moduleOf(file);
    const uses = MODULES.find((module) => module.name === name)?.uses ?? [];
    return importsOf(file)
      .filter((path) => {
        const other = moduleOf(path);
        return name !== undefined && other !== undefined && other !== name && !uses.includes(other);
      })
      .map((path) => `${file} imports ${path}`);
  });
  assert.deepEqual(offences, []);
});

test('two modules cannot provide the same', () => {
  const [module] = MODULES.filter(({ provides }) => provides?.files);
  if (module) assert.throws(() => provided([module, module], 'files'), /One module can provide 'files'/);
});

test('modules use each other in no circle', () => {
  const usesOf = new Map(MODULES.map(({ name, uses = [] }) => [name, uses]));
  const reaches = (from: string, to: string): boolean =>
    (usesOf.get(from) ?? []).some((next) => next === to || reaches(next, to));
  assert.deepEqual(
    [...usesOf.keys()].filter((name) => reaches(name, name)),
    [],
  );
});

/** Tables of earlier releases: those of modules that 0.3 does not describe, and those of the databases that 0.2 had beside files. */
const OF_FORMER_DATABASES = ['src/core/storage/former-tables.ts', 'src/modules/peer/adopt/former.ts'];

test('statements of a module name only its own tables, and no other statement names them', () => {
  const owners = new Map([
    ...TABLES.map((table) => [table, undefined] as const),
    ...MODULES.flatMap(({ name, tables }) =>
      tableNames(tables?.sql ?? '').map((table) => [table, name] as const),
    ),
  ]);
  const offences = sources
    .filter((file) => !OF_FORMER_DATABASES.includes(file))
    .flatMap((file) => {
      const name = moduleOf(file);
      const named = readFileSync(file, 'utf8').match(/\baccession_[a-z_]+\b/g) ?? [];
      return [...new Set(named)]
        .filter((table) => owners.has(table) && owners.get(table) !== name)
        .filter((table) => name !== undefined || owners.get(table) !== undefined)
        .map((table) => `${file}: ${table}`);
    });
  assert.deepEqual(offences, []);
});

test('every folder of modules is in the lists, and has a page that the index of the documentation leads to', () => {
  const folders = [...new Set(globSync('src/modules/*/*').flatMap((file) => moduleOf(file) ?? []))].sort();
  assert.deepEqual(MODULES.map(({ name }) => name).sort(), folders);
  for (const name of folders) {
    assert.ok(existsSync(`src/modules/${name}/README.md`), `${name} has no page`);
    for (const [list, file] of Object.entries(LISTED_FILES)) {
      const isListed = readFileSync(list, 'utf8').includes(`/modules/${name}/${file}'`);
      assert.equal(isListed, existsSync(`src/modules/${name}/${file}`), `${name} in ${list}`);
    }
  }
  assert.equal(readFileSync('docs/README.md', 'utf8'), indexWithModules());
});

test('a module with views of the desk has them in `desk.expected.ts`, where pictures and tests of looks find them', () => {
  const without = globSync('src/modules/*/desk/module.ts')
    .filter((file) => /\b(sections|views|browseTools):/.test(readFileSync(file, 'utf8')))
    .filter((file) => !existsSync(file.replace('/desk/module.ts', '/desk.expected.ts')));
  assert.deepEqual(without, []);
});

/** Files of the command line, and what options and printed rows are made from: the columns of the queue, the formats of tables. */
const OF_COMMANDS =
  /^src\/(cli\/|modules\/[^/]+\/commands\.ts$|modules\/review\/(queue\/(columns|fields)|states|commands\/printed)\.ts$|modules\/tables\/(commands\/reading|files\/limits)\.ts$|core\/(storage\/times|errors|json-schema|shapes)\.ts$)/;

test('the list of the command line loads nothing of the service: `accession --help` needs none of it', () => {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const text = readFileSync(file, 'utf8');
    // What a command runs is imported when it runs, and types are imported never.
    for (const [, names = '', path = ''] of text.matchAll(
      /^(import (?!type\b)[^;]*?|export [^;]*?)from '([^']+)';/gm,
    )) {
      if (/^import \{\s*(type \w+,?\s*)*\} $/.test(names)) continue;
      if (path.startsWith('.')) visit(join(dirname(file), path));
      else found.add(path);
    }
  };
  visit('src/cli/modules.ts');
  const loaded = [...found].filter((one) => !/^(node:|@?commander|#linkml\/(json|errors)\.ts$)/.test(one));
  assert.ok(found.size > COMMAND_MODULES.length);
  assert.deepEqual(
    loaded.filter((one) => !OF_COMMANDS.test(one)),
    [],
  );
});

test('commands read the keys and the token sources that modules have in the configuration', async () => {
  for (const { name, configuration, provides } of MODULES) {
    const commands = COMMAND_MODULES.find((one) => one.name === name);
    assert.equal(await commands?.configuration?.(), configuration, name);
    assert.equal(await commands?.sources?.(), provides?.sources?.schemas, name);
  }
});
