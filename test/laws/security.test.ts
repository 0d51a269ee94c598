/** Each threat that docs/security.md and the pages of modules name has a test, and the test exists. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

test('every threat in the tables of docs/security.md and of modules names tests that exist', () => {
  const threats = ['docs/security.md', ...globSync('src/modules/*/README.md', { cwd: root })].flatMap(
    (file) => {
      const page = readFileSync(join(root, file), 'utf8');
      const [, section = ''] = page.split('\n## Threats and the tests that cover them\n');
      const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
      return rows.slice(2).map((row) => row.split('|').map((cell) => cell.trim()));
    },
  );
  assert.ok(threats.length >= 15, `${threats.length} threats`);
  for (const [, threat = '', protection = '', tests = ''] of threats) {
    assert.ok(threat !== '' && protection !== '', threat);
    const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const files = named.filter((name) => !name.startsWith('npm run '));
    assert.ok(files.length > 0, `${threat}: no test`);
    for (const file of files) assert.ok(testsBelow(file).length > 0, `${threat}: ${file} has no test`);
  }
});

/** The test files that a name, a pattern or a folder stands for. */
function testsBelow(name: string): string[] {
  const found = globSync(name, { cwd: root });
  return found.flatMap((path) =>
    statSync(join(root, path)).isDirectory()
      ? globSync(`${path}/**/*.test.ts`, { cwd: root })
      : path.endsWith('.test.ts')
        ? [path]
        : [],
  );
}
