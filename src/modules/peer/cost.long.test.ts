/**
 * How the cost of adopting a store grows with its records: files, rows, the audit log of the peer, and that of release 0.2
 * beside its entries. Prints a table of exponents, as `endpoints.long.test.ts` does.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '#linkml/json.ts';
import { believed, costOf, exponentOf, isSteep, type Point, sizesUpTo } from '../../../test/cost/measure.ts';
import {
  adopt,
  configure,
  type Logged,
  person,
  rowsOf,
  storeDirectory,
  writeFormer,
  writeLog,
  writeRecord,
  writeTable,
} from './adopt/stores.support.ts';

const MOST_RECORDS = Number(process.env.ACCESSION_COST_RECORDS ?? 16_000);
/** Records of a commit, as many as an import brings at a time. */
const OF_COMMIT = 800;
const BEGIN = Date.parse('2026-01-01T00:00:00Z');

type People = readonly JsonObject[];

/** The changes of a log, a commit each list. The first change is after the beginning. */
function commitsOf(people: People): Logged[][] {
  const commits: Logged[][] = [];
  for (const [at, record] of people.entries()) {
    if (at % OF_COMMIT === 0) commits.push([]);
    commits.at(-1)!.push({ record, time: new Date(BEGIN + at + 1).toISOString() });
  }
  return commits;
}

const LOGGED = { audit_backends: [{ type: 'gitaudit', path: 'c/audit' }] };
const writeFiles = (root: string, people: People) => {
  for (const one of people) writeRecord(join(root, 'c/curated'), one);
};

const STORES: Readonly<Record<string, (root: string, people: People) => Promise<void>>> = {
  async files(root, people) {
    configure(root, { c: { backend: { type: 'record_dir' } } });
    writeFiles(root, people);
  },
  async rows(root, people) {
    configure(root, { c: { backend: { type: 'sqlite' } } });
    writeTable(join(root, 'c/curated'), people);
  },
  async 'files with an audit log'(root, people) {
    configure(root, { c: { backend: { type: 'record_dir' }, ...LOGGED } });
    writeFiles(root, people);
    writeLog(join(root, 'c/audit'), commitsOf(people));
  },
  async 'rows with an audit log'(root, people) {
    configure(root, { c: { backend: { type: 'sqlite' }, ...LOGGED } });
    writeTable(join(root, 'c/curated'), people);
    writeLog(join(root, 'c/audit'), commitsOf(people));
  },
  async 'files of release 0.2 with an audit log'(root, people) {
    configure(root, { c: { backend: { type: 'record_dir+stl' }, ...LOGGED } });
    writeFiles(root, people);
    writeFormer(join(root, 'c/curated'), people, BEGIN * 1000);
    writeLog(join(root, 'c/audit'), commitsOf(people));
  },
};

console.log('exponent  cpu ms  records  store');

for (const [name, make] of Object.entries(STORES)) {
  test(`the cost of adopting ${name} does not grow faster than n log n`, async (t) => {
    const points = await believed(async () => {
      const points: Point[] = [];
      for (const size of sizesUpTo(MOST_RECORDS, MOST_RECORDS / 8)) {
        const root = storeDirectory(t);
        await make(
          root,
          Array.from({ length: size }, (_, n) => person(`number-${n}`)),
        );
        const { result, ...cost } = await costOf(() => adopt(root));
        assert.deepEqual(result, { areas: 1, records: size, faults: 0 });
        const [[entries] = []] = rowsOf(
          root,
          `SELECT count(*) FROM accession_entry WHERE iri LIKE 'https://%'`,
        );
        assert.equal(entries, size, 'the log and the entries of release 0.2 are not adopted twice');
        points.push({ ...cost, size });
      }
      return points;
    });
    const { cpu, size } = points.at(-1)!;
    const exponent = exponentOf(points);
    const text = `${(exponent?.toFixed(2) ?? '-').padStart(8)} ${cpu.toFixed(0).padStart(7)} ${String(size).padStart(8)}  ${name}`;
    console.log(text);
    assert.ok(!isSteep(points), text);
  });
}
