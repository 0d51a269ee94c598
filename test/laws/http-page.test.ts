/** `docs/http.md` and the pages of modules name every operation of the API description, and no other. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { MOUNTS } from '../../src/core/http/endpoints/mounts.ts';
import { ENDPOINTS } from '../support/endpoints.ts';

const root = resolve(import.meta.dirname, '../..');
const page = ['docs/http.md', ...globSync('src/modules/*/README.md', { cwd: root })]
  .map((name) => readFileSync(resolve(root, name), 'utf8'))
  .join('\n');
const named = new Set(
  [...page.matchAll(/`((?:GET|POST|PUT|DELETE) [^`?]+)(?:\?[^`]*)?`/g)].map(
    ([, operation = '']) => operation,
  ),
);
const described = ENDPOINTS.filter(({ undescribed }) => !undescribed);

/** The names that the page may use: with the path as it is, or one for all areas or kinds of elements. */
function namesOf({ method, path, area }: (typeof ENDPOINTS)[number]): string[] {
  const mount = MOUNTS.find(({ kind }) => kind === area)?.path;
  const shared = [
    mount === undefined ? path : path.replace(mount, '<area>'),
    path.replace(/^\/(?:collections|tokens|admin_tokens)(?=\/|$)/, '/<kind>'),
  ];
  return [path, ...shared].map((one) => `${method} ${one.replace(/\{\+?(\w+)\}/g, '<$1>')}`);
}

test('the pages name every operation that is described', () => {
  const missing = described.map(namesOf).filter((names) => !names.some((name) => named.has(name)));
  const lines = missing.map(
    ([name]) => `add a row for \`${name}\` to a table of docs/http.md or of the README of its module`,
  );
  assert.deepEqual(lines, []);
});

test('the pages name no operation that does not exist', () => {
  const all = new Set(ENDPOINTS.flatMap(namesOf));
  // Examples are about the laboratory.
  const unknown = [...named].filter((name) => !all.has(name) && !/ \/(-\/)?laboratory\//.test(name));
  assert.deepEqual(unknown, []);
});
