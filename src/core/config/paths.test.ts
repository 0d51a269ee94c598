/** The attacks that path confinement has to stand (specification 7). None reaches a file outside the store. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isServiceError } from '../errors.ts';
import { checkCollectionName } from './names.ts';
import { confine, confineZone, labelProblem } from './paths.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'accession-paths-')));
const root = join(base, 'store');
mkdirSync(join(root, 'lab/incoming/zone'), { recursive: true });
mkdirSync(join(root, 'lab/curated'));
mkdirSync(join(root, '__dump_things__/config_store'), { recursive: true });
mkdirSync(join(base, 'outside/deep'), { recursive: true });
mkdirSync(join(base, 'store-twin'));
writeFileSync(join(root, 'file'), '');
for (const [target, link] of [
  [join(base, 'outside'), 'out'],
  ['../outside', 'out-relative'],
  ['..', 'up'],
  ['/', 'slash'],
  ['/etc', 'etc'],
  ['out', 'out-twice'],
  ['missing-target', 'dangling'],
  [join(base, 'outside/not-yet'), 'dangling-out'],
  ['loop', 'loop'],
  ['__dump_things__', 'own'],
  ['.', 'self'],
  ['lab', 'lab-link'],
] as const) {
  symlinkSync(target, join(root, link));
}
symlinkSync(join(base, 'outside'), join(root, 'lab/incoming/linked-zone'));
symlinkSync('../../../outside', join(root, 'lab/incoming/linked-relative'));
after(() => rmSync(base, { recursive: true }));

const PATHS_OUT = [
  '..',
  '../',
  '../outside',
  './../outside',
  'lab/../..',
  'lab/../../outside',
  'lab/incoming/../../../outside',
  'not/there/../../../outside',
  '../../../../../../../../etc',
  '../store-twin',
  '../store-twin/area',
  '../store/../outside',
  '/',
  '//',
  '/etc',
  '/etc/passwd',
  '/tmp',
  join(base, 'outside'),
  join(base, 'store-twin'),
  join(root, '..'),
  `${root}-twin`,
  `${root}/../outside`,
  'out',
  'out/',
  'out/deep',
  'out/not/yet',
  'out/../outside',
  'out-relative/deep',
  'out-twice',
  'out-twice/deep',
  'up',
  'up/outside',
  'up/store-twin',
  'slash/etc',
  'etc/passwd',
  'lab-link/../../outside',
  'dangling',
  'dangling/area',
  'dangling-out',
  'dangling-out/area',
  'loop',
  'loop/area',
  'file/area',
  'lab\0',
  'lab/\0/../../outside',
  '\0',
  '',
  '.',
  './',
  'lab/..',
  'self',
  'self/..',
  root,
  'up/store',
  '__dump_things__',
  '__dump_things__/config_store',
  '__dump_things__/config_audit/objects',
  'lab/../__dump_things__',
  'own',
  'own/config_store',
  'self/__dump_things__',
  join(root, '__dump_things__/new'),
];

for (const path of PATHS_OUT) {
  test(`the path ${JSON.stringify(path.replace(base, ''))} is refused for an area`, () => {
    assert.throws(() => confine(root, path, 'curated-path'), isOutside);
  });
}

const LABELS_OUT = [
  '',
  '.',
  '..',
  '...',
  '.hidden',
  '.dumpthings.yaml',
  '.git',
  '../zone',
  '../curated',
  '../../../outside',
  'zone/..',
  'zone/../../curated',
  'zone/sub',
  'a/../../b',
  '/etc',
  '/',
  'zone/',
  '\\',
  '..\\..\\outside',
  'zone\\sub',
  'zone\0',
  '\0',
  'zone\0/../../outside',
  'line\nbreak',
  'tab\tstop',
  '\x7f',
  '\ud800',
  'x'.repeat(256),
  'ü'.repeat(128),
];

for (const label of LABELS_OUT) {
  test(`the label ${JSON.stringify(label.slice(0, 40))} is refused`, () => {
    assert.notEqual(labelProblem(label), undefined);
    assert.throws(
      () => confineZone(root, join(root, 'lab/incoming'), label),
      (error) => isServiceError(error) && error.code === 'label_unknown',
    );
  });
}

for (const label of ['linked-zone', 'linked-relative']) {
  test(`the zone ${label}, a link that leads out, is refused`, () => {
    assert.throws(() => confineZone(root, join(root, 'lab/incoming'), label), isOutside);
  });
}

const NAMES_OUT = [
  '..',
  '.',
  '../lab',
  'a/./b',
  '/',
  '/a',
  'a/',
  'a//b',
  'a\0b',
  'a\nb',
  '\ud800',
  'n'.repeat(256),
  '',
];
const NAMES_RESERVED = [
  'collections',
  'collections/a',
  'tokens',
  'admin_tokens',
  'server',
  'maintenance',
  'management',
  'docs',
  'redoc',
  'api',
  'v1',
  'openapi.json',
  'desk',
  '-',
  '-/a',
  '__dump_things__',
  '__dump_things__/a',
  'a/curated',
  'a/incoming/b',
  'a/b/validate',
];

for (const [names, code] of [
  [NAMES_OUT, 'payload_invalid'],
  [NAMES_RESERVED, 'name_reserved'],
] as const) {
  for (const name of names) {
    test(`a collection can't be named ${JSON.stringify(name.slice(0, 40))}`, () => {
      assert.throws(
        () => checkCollectionName(name),
        (error) => isServiceError(error) && error.code === code,
      );
    });
  }
}

test('a collection can have a name with slashes, dots, blanks and characters of any script', () => {
  const plain = ['a', '2024', 'Übung_1', 'lab-notes', '_', '--', '数据', 'curated'];
  const others = [
    'a/b',
    'a.b/c d',
    ' a ',
    "a'b:c\\d",
    '🚀',
    '.git',
    'tokens/a',
    'desk/a',
    'server/a',
    'v1/a',
    'a/records/p',
    'a/-',
  ];
  for (const name of [...plain, ...others]) checkCollectionName(name);
});

test('paths that stay in the store are let through, absolute and without links', () => {
  for (const [path, real] of [
    ['lab', 'lab'],
    ['lab/./curated//x/', 'lab/curated/x'],
    ['lab/../new/area', 'new/area'],
    ['lab-link/curated', 'lab/curated'],
    ['up/store/lab', 'lab'],
    [join(root, 'lab/curated'), 'lab/curated'],
    ['..lab/area', '..lab/area'],
    ['Überall/ñ', 'Überall/ñ'],
  ] as const) {
    assert.equal(confine(root, path, 'curated-path'), join(root, real));
  }
});

test('a zone may be a link to a place in the store', () => {
  symlinkSync('../curated', join(root, 'lab/incoming/curated-zone'));
  assert.equal(confineZone(root, join(root, 'lab/incoming'), 'curated-zone'), join(root, 'lab/curated'));
});

test('plain names are labels of zones', () => {
  for (const label of ['zone', 'in box', 'ü', 'a..b', 'forgejo-x-user-y', '-', '~', 'CON', 'x'.repeat(255)]) {
    assert.equal(confineZone(root, join(root, 'lab/incoming'), label), join(root, 'lab/incoming', label));
  }
});

function isOutside(error: unknown): boolean {
  return isServiceError(error) && error.code === 'path_outside_store';
}
