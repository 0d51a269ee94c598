/** What the package brings along: packages with a reason, pinned, with permissive licences, none of which runs a script. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => JSON.parse(readFileSync(resolve(root, file), 'utf8'));

const PERMISSIVE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
]);

type Locked = {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  /** Made for other platforms; npm does not look at it here. */
  readonly optional?: boolean;
  /** A package of the workspace. */
  readonly link?: boolean;
};

const { packages } = read('package-lock.json') as { packages: Record<string, Locked> };
/** Without the project and the packages of its workspace. */
const all = Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
const shipped = all.filter(([, { dev, devOptional }]) => !dev && !devOptional);

/** Whether a licence expression permits one of the permissive licences. */
const permissive = (license = '') =>
  license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((part) => PERMISSIVE.has(part.trim())));

describe('the dependencies', () => {
  test('at run time are those of the table in docs/dependencies.md', () => {
    const { dependencies } = read('package.json') as { dependencies: Record<string, string> };
    const page = readFileSync(resolve(root, 'docs/dependencies.md'), 'utf8');
    const named = [...page.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    assert.deepEqual(named.sort(), Object.keys(dependencies).sort());
  });

  test('are pinned with a digest', () => {
    assert.deepEqual(
      all.filter(([, { integrity, optional }]) => integrity === undefined && !optional).map(([path]) => path),
      [],
    );
  });

  test('that are shipped have permissive licences', () => {
    const others = shipped.filter(([, { license }]) => !permissive(license));
    assert.deepEqual(
      others.map(([path, { license }]) => `${path}: ${license}`),
      [],
    );
  });

  test('that are shipped run no script when they are installed, and of the others only two do', () => {
    const scripts = all.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    assert.deepEqual(
      scripts.filter((path) => !['node_modules/node', 'node_modules/esbuild'].includes(path)),
      [],
    );
  });
});

/** The packages of the desk: its frame, then those of single pages, which are loaded with them. */
const OF_THE_DESK =
  /: (preact(\/.*)?|@preact\/signals|d3-scale|@dagrejs\/dagre|@codemirror\/[\w-]+|@lezer\/\w+)$/;

test('the desk uses no packages but Preact and its signals, and one each for plots, pictures of graphs and the text of schemas', () => {
  const imported = globSync('{ui,src/modules/*/desk}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: ['**/*.test.ts'],
  }).flatMap((file) =>
    [...readFileSync(resolve(root, file), 'utf8').matchAll(/from '([^.#'][^']*)'/g)].map(
      ([, name = '']) => `${file}: ${name}`,
    ),
  );
  assert.deepEqual(
    imported.filter((one) => !OF_THE_DESK.test(one)),
    [],
  );
});
