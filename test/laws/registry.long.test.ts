/** The package is not in the npm registry: a command that asks for it there ends with 404. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const FILES = [
  '*.md',
  'docs/**/*.md',
  'deploy/**/*.*',
  'deploy/Containerfile',
  'bin/*.js',
  'scripts/*.ts',
  '{src,ui}/**/*.{ts,tsx}',
];

/** npm or npx with `accession` as the name of a package; behind `--` it is a command that is installed already. */
const FROM_REGISTRY =
  /\b(?:npm (?:install|i|exec|create|init)|npx)\b(?:(?! -- ).)*?[\s=]accession(?:@\S*)?(?=[\s"'`]|$)/;
/** What only published packages have. */
const PUBLISHED = /npm publish|npm audit signatures/;

function commandsIn(file: string): string[] {
  return readFileSync(resolve(root, file), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      FROM_REGISTRY.test(line) || PUBLISHED.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
    );
}

test('no command of a page, a message or a file for operators takes the package from the registry', () => {
  for (const command of [
    'npm install -g accession',
    'npx --yes accession serve',
    'npx --package=accession@0.2 x',
  ])
    assert.match(command, FROM_REGISTRY);
  assert.deepEqual(globSync(FILES, { cwd: root }).flatMap(commandsIn), []);
});

test('the first command of the README starts a checkout, and the next ones install the package that npm pack makes', () => {
  const readme = readFileSync(resolve(root, 'README.md'), 'utf8');
  const { version } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
  const [first] = /(?<=^```sh\n).*$/m.exec(readme) ?? [];
  assert.match(first ?? '', /^npm ci && npm start\b/);
  assert.ok(readme.includes(`npm ci && npm pack && npm install --global ./accession-${version}.tgz\n`));
});
