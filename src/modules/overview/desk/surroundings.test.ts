/** What a picture of surroundings has: two steps, groups of many records of a class, and no more records than a person can look at. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Links } from '../../../../src/client/client.ts';
import { MOST_READ, MOST_RECORDS, type Opened, surroundingsOf } from './surroundings.ts';

const record = (pid: string, className: string | null = 'Thing') => ({
  pid,
  class: className,
  title: pid,
  in: className && 'curated',
});

const rows = (slot: string, pids: readonly string[], className?: string | null): Links['to'] =>
  pids.map((pid, at) => ({ ...record(pid, className), slot, path: `/${slot}/${at}` }));

const linksOf = (pid: string, links: Partial<Pick<Links, 'from' | 'to'>>): [string, Links] => [
  pid,
  { pid, to: [], from: [], referrers: links.from?.length ?? 0, counted: true, complete: true, ...links },
];

const opened = (records: readonly string[] = [], groups: readonly string[] = []): Opened => ({
  records: new Set(records),
  groups: new Set(groups),
});

const many = (count: number, name = 'n') => Array.from({ length: count }, (_, at) => `${name}${at}`);

test('a record is shown once, with the slots of all references to it, and itself in the middle', () => {
  const to = [...rows('part', ['a', 'b', 'm']), ...rows('kin', ['a']), ...rows('part', ['gone'], null)];
  const links = new Map([linksOf('m', { to, from: rows('kin', ['a']) })]);
  const { records, references, groups, isCut } = surroundingsOf(record('m'), links, opened());
  assert.deepEqual([...records.keys()], ['m', 'a', 'b', 'gone']);
  assert.deepEqual(
    references.map(({ from, to: end, slots }) => `${from} ${slots} ${end}`),
    ['a kin m', 'm part,kin a', 'm part b', 'm part gone'],
  );
  assert.deepEqual([groups, isCut], [[], false]);
  assert.equal(records.get('gone')!.isInner, false);
});

test('many records of a class are a group until it is opened', () => {
  const from = [...rows('by', many(7), 'Paper'), ...rows('in', ['p'], 'Project')];
  const links = new Map([linksOf('m', { from })]);
  const closed = surroundingsOf(record('m'), links, opened());
  assert.deepEqual([...closed.records.keys()], ['m', 'p']);
  const [group] = closed.groups;
  assert.deepEqual(group, { id: group!.id, class: 'Paper', records: 7, isCut: false, isOpen: false });
  const open = surroundingsOf(record('m'), links, opened([], [group!.id]));
  assert.equal(open.records.size, 9);
  assert.equal(open.references.length, 8);
  assert.equal(open.ties.length, 9);
});

test('records are opened up to two steps from the middle', () => {
  const links = new Map([
    linksOf('m', { to: rows('next', ['a']) }),
    linksOf('a', { to: rows('next', ['b']), from: rows('next', ['m']) }),
    linksOf('b', { to: rows('next', ['c']) }),
  ]);
  const pidsOf = (open: Opened) => [...surroundingsOf(record('m'), links, open).records.keys()];
  assert.deepEqual(pidsOf(opened()), ['m', 'a']);
  assert.deepEqual(pidsOf(opened(['a', 'b'])), ['m', 'a', 'b']);
  assert.equal(surroundingsOf(record('m'), links, opened(['a'])).references.length, 2);
});

test('a picture has a limited number of records, and says if there are more', () => {
  const links = new Map([
    linksOf('m', { to: rows('next', many(150)), from: rows('next', many(150, 'r')) }),
    linksOf('n0', { to: rows('next', many(MOST_READ, 'far')) }),
  ]);
  const ids = surroundingsOf(record('m'), links, opened()).groups.map(({ id }) => id);
  const first = surroundingsOf(record('m'), links, opened([], ids.slice(0, 1)));
  assert.deepEqual([first.records.size, first.isCut], [151, false]);
  const both = surroundingsOf(record('m'), links, opened([], ids));
  assert.deepEqual([both.records.size, both.isCut], [MOST_RECORDS, true]);
  const far = surroundingsOf(record('m'), links, opened(['n0'], ids.slice(1)));
  assert.deepEqual([far.isCut, far.groups.at(-1)!.isCut], [true, true]);
});
