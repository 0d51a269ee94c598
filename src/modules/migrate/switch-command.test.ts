/** `accession schema switch`, with reports that are tables, and corrections. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { accession, scratch } from '../../../test/cli/accession.ts';
import { inFolder } from '../../../test/cli/overwriting.ts';
import { listening } from '../../../test/cli/service.ts';
import { ADMIN, LABORATORY } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';

describe('a schema that demands a value', () => {
  const NEW = readFileSync(LABORATORY, 'utf8')
    .replace(/^ {2}email:\n/m, '  email:\n    required: true\n')
    .replace('slots: [given_name, family_name', 'slots: [given_name, family_name');
  before(() => assert.notEqual(NEW, readFileSync(LABORATORY, 'utf8')));

  test('is switched to with the corrections of a steward, and undone', async (t) => {
    const service = await listening(t);
    const folder = scratch(t);
    const schema = join(folder, 'new.yaml');
    const table = join(folder, 'report.csv');
    writeFileSync(schema, NEW);
    for (const name of ['a', 'b'])
      await service.request('POST', '/lab/curated/record/Person', {
        token: 'cur',
        json: { ...person(name), ...(name === 'b' && { email: 'b@example.org' }) },
      });
    const run = (token: string, ...args: string[]) =>
      accession(args, { env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: token } });
    const dry = await run('cur', 'schema', 'switch', 'lab', schema, '--dry-run', '--report', table);
    assert.deepEqual([dry.status, /curated labid:a: /.test(dry.stdout)], [2, true], dry.stderr);
    const [header = '', row = '', ...more] = readFileSync(table, 'utf8').trimEnd().split('\r\n');
    assert.deepEqual(more, []);
    const refused = await run(ADMIN, 'schema', 'switch', 'lab', schema);
    assert.deepEqual([refused.status, /labid:a/.test(refused.stderr)], [1, true], refused.stderr);
    assert.match(refused.stderr, /--corrections FILE applies it/);

    const at = header.split(',').indexOf('email*');
    const cells = row.split(',');
    cells[at] = 'a@example.org';
    writeFileSync(table, `${header}\r\n${cells.join(',')}\r\n`);
    const tried = await run('cur', 'schema', 'switch', 'lab', schema, '--dry-run', '--corrections', table);
    assert.deepEqual([tried.status, tried.stdout.includes('labid:a')], [0, false], tried.stderr);
    assert.match(tried.stderr, /1 record corrected by /);
    const json = { ...person('a'), given_name: 'Ada' };
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
    const changed = await run(ADMIN, 'schema', 'switch', 'lab', schema, '--corrections', table);
    assert.equal(changed.status, 2, changed.stderr);
    assert.match(changed.stderr, /row 2: the record labid:a has changed since the report was written/);
    const digest = header.split(',').indexOf('!digest');
    const filled = readFileSync(table);
    writeFileSync(table, `${header}\r\n${cells.with(digest, '').join(',')}\r\n`);
    const unchecked = await run(
      'cur',
      'schema',
      'switch',
      'lab',
      schema,
      '--dry-run',
      '--corrections',
      table,
    );
    assert.match(unchecked.stderr, /report\.csv: row 2: the record labid:a has changed/, 'an empty digest');
    writeFileSync(table, `${header},misspelt\r\n`);
    const noRows = await run('cur', 'schema', 'switch', 'lab', schema, '--dry-run', '--corrections', table);
    assert.match(noRows.stderr, /has no slot "misspelt"/, 'a header without rows');
    writeFileSync(table, filled);
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person('a') });
    const switched = await run(ADMIN, 'schema', 'switch', 'lab', schema, '--corrections', table);
    assert.equal(switched.status, 0, switched.stderr);
    const copy =
      /reads it from (\S+\/switched\/\S+\.yaml), a copy: after an edit of \S+new\.yaml, run "accession schema switch lab \S+new\.yaml" again/;
    assert.match(switched.stderr, copy);
    const [, inForce = ''] = copy.exec(switched.stderr) ?? [];
    assert.match((await run(ADMIN, 'status')).stdout, new RegExp(`^schema +lab: ${inForce}$`, 'm'));
    assert.match((await run('cur', 'schema', 'changes', 'lab')).stdout, new RegExp(` ${inForce} *$`, 'm'));
    const read = async () =>
      (await service.request('GET', '/lab/curated/record?pid=labid:a', { token: 'cur' })).json<{
        email?: string;
      }>();
    assert.equal((await read()).email, 'a@example.org');
    const again = await run(ADMIN, 'schema', 'switch', 'lab', schema);
    assert.deepEqual([again.status, /nothing changes/.test(again.stderr)], [0, true], again.stderr);
    const broken = join(folder, 'broken.yaml');
    writeFileSync(broken, 'classes: [');
    const unread = await run(ADMIN, 'schema', 'switch', 'lab', broken);
    assert.ok(unread.stderr.includes(`accession: ${broken}`), unread.stderr);
    const lost = await run(ADMIN, 'schema', 'switch', 'lab', 'misspelt.yaml');
    assert.match(lost.stderr, /misspelt\.yaml does not exist\. The service opens URLs and absolute paths/);
    const [change] = JSON.parse((await run('cur', 'schema', 'changes', 'lab', '--json')).stdout);
    assert.equal(change.records, 1);
    const undone = await run(ADMIN, 'schema', 'undo', 'lab', change.id);
    assert.equal(undone.status, 0, undone.stderr);
    assert.match(
      undone.stdout,
      /^The former schema is in force again, from \/.+\.yaml; 1 record restored\.$/m,
    );
    assert.equal((await read()).email, undefined);
  });

  test('a record and its submission are corrected each by its row, and a submission that fits keeps its value', async (t) => {
    const service = await listening(t);
    const folder = scratch(t);
    const [schema, table] = [join(folder, 'new.yaml'), join(folder, 'report.csv')];
    writeFileSync(
      schema,
      NEW.replace(/^ {2}homepage:\n/m, '  page:\n    aliases: [homepage]\n').replace('homepage]', 'page]'),
    );
    const put = (path: string, token: string, json: object) =>
      service.request('POST', `/lab/${path}record/Person`, { token, json });
    for (const name of ['both', 'one']) await put('curated/', 'cur', person(name));
    await put('', 'ann', { ...person('both'), given_name: 'B.' });
    await put('', 'ann', {
      ...person('one'),
      email: 'submitted@example.org',
      homepage: 'https://example.org/',
    });
    const run = (...args: string[]) =>
      accession(['schema', 'switch', 'lab', schema, ...args], {
        env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: ADMIN },
      });
    const dry = await run('--dry-run', '--report', table);
    assert.match(dry.stderr, /has 3 records to correct/);
    const [header = '', ...rows] = readFileSync(table, 'utf8').trimEnd().split('\r\n');
    const at = header.split(',').indexOf('email*');
    const filled = rows.map((row) => {
      const cells = row.split(',');
      return cells
        .with(at, row.includes(',incoming/') ? 'zone@example.org' : 'curated@example.org')
        .join(',');
    });
    writeFileSync(table, `${[header, ...filled].join('\r\n')}\r\n`);
    const switched = await run('--corrections', table);
    assert.equal(switched.status, 0, switched.stderr);
    const emailIn = async (path: string, pid: string) => {
      const found = await service.request('GET', `/lab/${path}/record?pid=labid:${pid}`, { token: 'cur' });
      return found.json<{ email?: string }>().email;
    };
    const zone = 'incoming/ann';
    assert.equal(await emailIn('curated', 'both'), 'curated@example.org');
    assert.equal(await emailIn(zone, 'both'), 'zone@example.org');
    assert.equal(await emailIn('curated', 'one'), 'curated@example.org');
    assert.equal(await emailIn(zone, 'one'), 'submitted@example.org');
  });
});

test('a report does not replace a file without --overwrite', async (t) => {
  const { isKept, at } = await inFolder(t);
  writeFileSync(
    at('next.yaml'),
    readFileSync(LABORATORY, 'utf8').replace(/^ {2}email:\n/m, '  email:\n    required: true\n'),
  );
  await isKept('schema switch lab next.yaml --dry-run --report unfit.csv', 'unfit.csv', ADMIN);
});

test('a dry run lists the first records with the same problems, and the number of the others', async (t) => {
  const service = await listening(t);
  const schema = join(scratch(t), 'next.yaml');
  const text = readFileSync(LABORATORY, 'utf8');
  writeFileSync(schema, text.replace(/^ {2}email:\n/m, '  email:\n    required: true\n'));
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person(name) });
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  const { stdout, stderr } = await accession(['schema', 'switch', 'lab', schema, '--dry-run'], { env });
  const listed = stdout.match(/^curated labid:\w+|^.*like.*$/gm);
  const shown = ['a', 'b', 'c', 'd', 'e'].map((name) => `curated labid:${name}`);
  assert.deepEqual(listed, [...shown, '2 more records like curated labid:a']);
  assert.match(stderr, /^5 of 7 records that would not fit are listed$/m);
});

test('a class is split with the table of the report, which has a column for the class', async (t) => {
  const service = await listening(t);
  const folder = scratch(t);
  const schema = join(folder, 'split.yaml');
  const split = readFileSync(LABORATORY, 'utf8').replace(
    '\n  Person:\n',
    '\n  Staff:\n    is_a: Person\n    attributes: {office: {}}\n  Guest:\n    is_a: Person\n  Person:\n    abstract: true\n',
  );
  assert.match(split, /abstract: true/);
  writeFileSync(schema, split);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names)
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person(name) });
  const run = (token: string, ...args: string[]) =>
    accession(args, { env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: token } });
  const table = join(folder, 'unfit.csv');
  const dry = await run('cur', 'schema', 'switch', 'lab', schema, '--dry-run', '--report', table);
  assert.equal(dry.status, 2, dry.stderr);
  const [header = '', ...rows] = readFileSync(table, 'utf8').trimEnd().split('\r\n');
  const at = header.split(',').indexOf('!class');
  const classes = ['Staff', 'Staff', 'Guest', 'Visitor'];
  const filled = (last: string) =>
    rows.map((row, n) =>
      row
        .split(',')
        .with(at, n === 3 ? last : classes[n]!)
        .join(','),
    );
  const tryOut = (lines: readonly string[]) => {
    writeFileSync(table, `${lines.join('\r\n')}\r\n`);
    return run('cur', 'schema', 'switch', 'lab', schema, '--dry-run', '--corrections', table);
  };
  const unknown = await tryOut([header, ...filled('Visitor')]);
  assert.match(unknown.stderr, /unfit\.csv: row 5 \(!class\): The schema has no class Visitor/);
  const left = await tryOut([header, ...filled('Person')]);
  assert.deepEqual([left.status, /abstract/.test(left.stderr)], [2, true], left.stderr);
  const offices = ['E1', '', '', ''];
  const added = (lines: readonly string[], cells: readonly string[]) => [
    `${header},office`,
    ...lines.map((line, n) => `${line},${cells[n]}`),
  ];
  const misplaced = await tryOut(added(filled('Guest'), offices.with(3, 'E2')));
  assert.match(misplaced.stderr, /[A-Z]+5: The class Guest has no slot "office": leave the cell empty/);
  const nowhere = await tryOut(added(filled('Guest'), offices).with(0, `${header},offices`));
  assert.match(nowhere.stderr, /has no slot "offices"/);
  const tried = await tryOut(added(filled('Guest'), offices));
  assert.equal(tried.status, 0, tried.stderr);
  const done = await run(ADMIN, 'schema', 'switch', 'lab', schema, '--corrections', table);
  assert.equal(done.status, 0, done.stderr);
  const stored = await service.request('GET', '/lab/curated/records/', { token: 'cur' });
  assert.deepEqual(
    stored.json<{ schema_type: string }[]>().map(({ schema_type }) => schema_type.replace(/.*[:/]/, '')),
    ['Staff', 'Staff', 'Guest', 'Guest'],
  );
  assert.deepEqual(
    stored.json<{ office?: string }[]>().map(({ office }) => office),
    ['E1', undefined, undefined, undefined],
  );
});
