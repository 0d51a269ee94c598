import assert from 'node:assert/strict';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { MAPPING_METHODS } from '../config/backends.ts';
import { isServiceError } from '../errors.ts';
import { filePath } from './record-path.ts';

const CLASSES_OUT = [
  '',
  '.',
  '..',
  '../Person',
  '../../x',
  '/tmp/x',
  'a/b',
  'a\\b',
  '.git',
  '.accession',
  '.hidden',
  'a\0b',
  'a\nb',
];

for (const className of CLASSES_OUT) {
  test(`records of a class named ${JSON.stringify(className)} are refused`, () => {
    for (const method of MAPPING_METHODS) {
      assert.throws(
        () => filePath(method, className, 'ex:1'),
        (error) => isServiceError(error) && error.code === 'path_outside_store',
      );
    }
  });
}

test('whatever a pid is, its file is in the folder of its class', () => {
  const pids = [
    'ex:..',
    'ex:.',
    'ex:',
    '',
    'ex:../../x',
    'ex:/etc/passwd',
    'ex:a\0b',
    'ex:.hidden',
    'ex:..\\..\\x',
    '..',
    '/',
  ];
  const folder = join(sep, 'area', 'Person');
  for (const method of MAPPING_METHODS) {
    for (const pid of [...pids, `ex:${'x'.repeat(1000)}`, `ex:${'/..'.repeat(50)}`]) {
      const file = join(sep, 'area', filePath(method, 'Person', pid));
      assert.ok(file.startsWith(folder + sep) && file.endsWith('.yaml'), `${method} ${pid}: ${file}`);
    }
  }
});

test('class names of all alphabets, with blanks and dots within, are folders', () => {
  for (const className of ['Person', 'Wissenschaftlerin Ü', 'A.b', '人', '_x']) {
    assert.ok(filePath('digest-md5', className, 'ex:1').startsWith(`${className}/`));
  }
});
