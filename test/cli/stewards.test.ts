/** Commands that look after a collection of a service: references, duplicates, renames, merges, schema changes, requests. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { ADMIN, LABORATORY } from '../support/app.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { person } from '../support/people.ts';
import { accession, scratch } from './accession.ts';
import { listening } from './service.ts';

test('every request of a command has an endpoint', () => {
  const known = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`));
  const sent = globSync('src/{cli,modules}/**/*commands.ts').flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('sends({')
      .slice(1)
      .flatMap((text) => {
        const [, method = 'GET'] = /^\s+method: '(\w+)'/.exec(text) ?? [];
        const paths = text.matchAll(/(?:method: '(\w+)',\s+)?path: '([^']*)'/g);
        return [...paths].map(([, own = method, path = '']) => `${own} ${path.replace(/\{\w+\}/g, '{}')}`);
      }),
  );
  assert.ok(sent.length > 15, `${sent.length} requests`);
  assert.deepEqual(
    sent.filter((one) => !known.has(one)),
    [],
  );
});

test('a curator finds dangling references and duplicates, renames, merges and undoes', async (t) => {
  const service = await listening(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  const run = (...args: string[]) => accession(args, { env });
  const put = async (className: string, json: object) => {
    const path = `/lab/curated/record/${className}`;
    assert.equal((await service.request('POST', path, { token: 'cur', json })).status, 200);
  };
  await put('Person', { ...person('a'), affiliations: ['labid:gone'], orcid: 'orcid:0000-0002-1000-0000' });
  await put('Person', { ...person('b'), orcid: 'orcid:0000-0002-1000-0000' });
  await put('Organization', { pid: 'labid:o', name: 'O' });

  const dangling = await run('dangling', 'lab');
  assert.deepEqual(
    [dangling.status, /labid:a .*labid:gone/.test(dangling.stdout)],
    [2, true],
    dangling.stdout,
  );
  const set = await run('settings', 'lab', '--identify', 'Person=orcid', '--json');
  const kept = { on_delete: 'warn', identifying_slots: { Person: ['orcid'] } };
  assert.deepEqual(JSON.parse(set.stdout), kept);
  const license = 'https://example.org/license';
  const described = await run('settings', 'lab', '--license', license, '--title', 'People', '--json');
  assert.deepEqual(JSON.parse(described.stdout), { ...kept, publish: { title: 'People', license } });
  const pairs = await run('duplicates', 'lab');
  assert.match(pairs.stdout, /^1 +orcid +Person +labid:a +labid:b/m, pairs.stderr);
  const apartNow = await run('distinct', 'lab', 'labid:a', 'labid:b');
  assert.deepEqual(
    [apartNow.status, apartNow.stderr],
    [0, 'labid:a and labid:b are not listed as duplicates any more.\n'],
  );
  const none = await run('distinct', 'lab', 'labid:a', 'labid:misspelt');
  assert.deepEqual(
    [none.status, none.stderr],
    [1, "accession: The record 'labid:misspelt' does not exist.\n"],
  );
  const mail = await run('settings', 'lab', '--contact', 'nobody');
  assert.match(mail.stderr, /publish\.contact: expected a string/);
  assert.equal((await run('maintenance', 'lab', 'on')).stderr, 'The maintenance mode of lab is on.\n');
  assert.equal((await run('maintenance', 'lab', 'off')).stderr, 'The maintenance mode of lab is off.\n');
  assert.equal((await run('duplicates', 'lab')).stdout, '');

  const tried = await run('rename', 'lab', 'labid:a', 'labid:c', '--dry-run');
  assert.match(tried.stdout, /^rename labid:a → labid:c: 1 record would change$/m);
  assert.equal((await run('get', 'lab', 'labid:a', '--curated')).status, 0);
  const renamed = await run('rename', 'lab', 'labid:a', 'labid:c');
  const id = /undo with the id (\S+)/.exec(renamed.stdout)?.[1] as string;
  assert.match((await run('moves', 'lab')).stdout, /rename +labid:a +labid:c/);
  const undone = await run('moves', 'lab', id);
  assert.equal(undone.stdout, 'rename labid:a → labid:c: undone; 1 record changed\n', undone.stderr);

  const conflict = await run('merge', 'lab', 'labid:a', 'labid:b');
  assert.deepEqual(
    [
      conflict.status,
      /choose one with take/.test(conflict.stderr),
      /--take (\S+)=keep/.test(conflict.stderr),
    ],
    [1, false, true],
    conflict.stderr,
  );
  const apart = await run('merge', 'lab', 'labid:a', 'labid:o', '--take', '=keep', '--dry-run');
  assert.match(apart.stderr, /expected a record of the class Person, found one of the class Organization/);
  const elsewhere = await run('merge', 'lab', 'labid:a', 'labid:b', '--take', 'name=keep');
  assert.match(
    elsewhere.stderr,
    /no difference at name; expected a path where the records differ: .*\/name/,
    elsewhere.stderr,
  );
  const merged = await run('merge', 'lab', 'labid:a', 'labid:b', '--take', '=keep');
  assert.equal(merged.status, 0, merged.stderr);
});

test('any request can be sent, with a body from a file or standard input', async (t) => {
  const service = await listening(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'ann' };
  const me = await accession(['api', 'get', '/-/me'], { env });
  assert.equal(JSON.parse(me.stdout).user_id, 'ann@example.org', me.stderr);
  const input = JSON.stringify(person('x'));
  const stored = await accession(['api', 'POST', 'lab/record/Person', '-d', '-'], { env, input });
  assert.equal(JSON.parse(stored.stdout)[0].pid, 'labid:x', stored.stderr);
  const refused = await accession(['api', 'GET', '/tokens'], { env });
  assert.deepEqual(
    [refused.status, /requires an admin token, and 'ann' is not one/.test(refused.stderr)],
    [1, true],
  );
  const status = await accession(['status'], { env: { ...env, ACCESSION_TOKEN: ADMIN } });
  assert.match(status.stdout, /^writable +yes$/m, status.stderr);
  assert.match(status.stdout, /^collection +lab: 0 records, \d+ zones?$/m);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person('a') });
  const one = await accession(['status'], { env: { ...env, ACCESSION_TOKEN: ADMIN } });
  assert.match(one.stdout, /^collection +lab: 1 record, /m);
});

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
    const both = await run('cur', 'schema', 'switch', 'lab', schema, '--dry-run', '--corrections', table);
    assert.match(both.stderr, /--dry-run and --corrections exclude each other/);
    const json = { ...person('a'), given_name: 'Ada' };
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
    const changed = await run(ADMIN, 'schema', 'switch', 'lab', schema, '--corrections', table);
    assert.equal(changed.status, 2, changed.stderr);
    assert.match(changed.stderr, /row 2: the record labid:a has changed since the report was written/);
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
