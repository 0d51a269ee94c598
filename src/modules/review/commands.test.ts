/** `accession submissions` and `accession review …`. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession, type RunOptions, scratch } from '../../../test/cli/accession.ts';
import { type Listening, laboratory, listening } from '../../../test/cli/service.ts';
import { lacks } from '../../../test/support/lacks.ts';
import { person } from '../../../test/support/people.ts';

/** Runs a command with a token. */
function as(service: Listening, token: string) {
  return (args: readonly string[], options: RunOptions = {}) =>
    accession(args, { ...options, env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: token } });
}

test('submissions are listed, shown, accepted, rejected, deferred and undone', async (t) => {
  const service = await listening(t);
  const [ann, cur] = [as(service, 'ann'), as(service, 'cur')];
  for (const name of ['a', 'b', 'c']) {
    const stored = await service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
    assert.equal(stored.status, 200, stored.text);
  }
  const list = await cur(['review', 'list', 'lab']);
  assert.equal(list.status, 0, list.stderr);
  assert.match(list.stdout, /^label +pid +class +state +standing/);
  assert.equal(list.stdout.match(/^ann +labid:[abc] +Person +new +waiting/gm)?.length, 3, list.stdout);
  const summary = JSON.parse((await cur(['review', 'list', 'lab', '--summary', '--json'])).stdout);
  assert.equal(summary.total, 3);
  const shown = await cur(['review', 'show', 'lab', 'ann', 'labid:a']);
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /^state +new$/m);

  const accepted = await cur(['review', 'accept', 'lab', 'ann', 'labid:a']);
  assert.deepEqual(
    [accepted.status, /^accept labid:a \S+\n$/.test(accepted.stdout)],
    [0, true],
    accepted.stderr,
  );
  const without = await cur(['review', 'reject', 'lab', 'ann', 'labid:b']);
  assert.deepEqual([without.status, /required option '--reason <text>'/.test(without.stderr)], [1, true]);
  const rejected = await cur(['review', 'reject', 'lab', 'ann', 'labid:b', '--reason', 'a duplicate']);
  assert.equal(rejected.status, 0, rejected.stderr);
  const deferred = await cur([
    'review',
    'defer',
    'lab',
    'ann',
    'labid:c',
    '--reason',
    'who?',
    '--until',
    '2999-01-01T00:00:00Z',
  ]);
  assert.equal(deferred.status, 0, deferred.stderr);

  const own = await ann(['submissions', 'lab']);
  assert.equal(own.status, 0, own.stderr);
  assert.match(own.stdout, /^labid:a +Person +accepted/m);
  assert.match(own.stdout, /^labid:b +Person +rejected +\S+ +a duplicate/m);
  assert.match(own.stdout, /^labid:c +Person +deferred/m);
  assert.deepEqual(
    JSON.parse((await ann(['submissions', 'lab', '--status', 'rejected', '--json'])).stdout).length,
    1,
  );

  const decisions = await cur(['review', 'decisions', 'lab', '--pid', 'labid:b']);
  assert.match(
    decisions.stdout,
    /^id +time +decision +label +pid +reviewer +undone +reason\n\S+ +\S+ +reject +ann +labid:b /,
  );
  const some = await cur(['review', 'accept', 'lab', 'ann', 'labid:c', 'labid:nobody']);
  assert.equal(some.status, 1);
  assert.match(some.stderr, /labid:nobody: .*No decision was made on any of the 2 records/);

  const id = /^accept labid:a (\S+)\n$/.exec(accepted.stdout)?.[1] as string;
  const undone = await cur(['review', 'undo', 'lab', id]);
  assert.equal(undone.status, 0, undone.stderr);
  assert.match((await cur(['review', 'list', 'lab'])).stdout, /^ann +labid:a +Person +new +waiting/m);
  const again = await cur(['review', 'undo', 'lab', id]);
  assert.equal(again.status, 1);
  const undoneBy = /^\S+ .*accept.* by cur\S* at 20\d\d-\S+/m;
  assert.match((await cur(['review', 'decisions', 'lab', '--pid', 'labid:a'])).stdout, undoneBy);
  assert.match((await cur(['review', 'show', 'lab', 'ann', 'labid:a'])).stdout, undoneBy);
});

test('curators ask and submitters answer from the command line', async (t) => {
  const service = await listening(t);
  const [ann, cur] = [as(service, 'ann'), as(service, 'cur')];
  await service.request('POST', '/lab/record/Person', { token: 'ann', json: person('a') });
  const show = ['review', 'show', 'lab', 'ann', 'labid:a'];
  const asked = await cur([...show, '--comment', 'Which one?', '--request', 'answer']);
  assert.match(
    asked.stdout,
    /^time +author +requests +text\n\S+ +cur\S* +answer +Which one\?$/m,
    asked.stderr,
  );
  assert.match(
    (await cur([...show, '--request', 'answer'])).stderr,
    /--request: expected answer or changes, with --comment/,
  );
  assert.match((await ann(['submissions', 'lab', 'labid:a'])).stdout, /^requested +answer$/m);
  assert.match(
    (await ann(['submissions', 'lab', 'labid:a'])).stdout,
    /^time +author +requests +text\n\S+ +answer +\S/m,
  );
  const answered = await ann(['submissions', 'lab', 'labid:a', '--comment', 'The first.']);
  assert.deepEqual([answered.status, answered.stdout], [0, ''], answered.stderr);
  assert.match((await cur(show)).stdout, /^\S+ +ann\S* +The first\.$/m);
  assert.match((await cur(['review', 'list', 'lab', '--requested', 'answer'])).stderr, /0|no|nothing/i);
});

test('submissions are assigned to a curator or to oneself, unassigned, and listed by that', async (t) => {
  const service = await listening(t);
  const cur = as(service, 'cur');
  for (const name of ['a', 'b', 'c'])
    await service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
  const assign = (...args: string[]) => cur(['review', 'assign', 'lab', 'ann', ...args]);
  const pids = async (...args: string[]) => {
    const { stdout } = await cur(['review', 'list', 'lab', '--json', ...args]);
    return (JSON.parse(stdout) as { pid: string }[]).map(({ pid }) => pid).sort();
  };
  const { user_id: me } = (await service.request('GET', '/-/me', { token: 'cur' })).json<{
    user_id: string;
  }>();
  const own = await assign('labid:a', 'labid:b', '--mine', '--due', '2999-01-01T00:00:00Z');
  const due = '2999-01-01T00:00:00.000000+00:00';
  assert.deepEqual(
    [own.status, own.stdout],
    [0, `assigned labid:a ${me} ${due}\nassigned labid:b ${me} ${due}\n`],
    own.stderr,
  );
  assert.deepEqual(await pids('--mine'), ['labid:a', 'labid:b']);
  assert.deepEqual(await pids('--unassigned'), ['labid:c']);
  assert.deepEqual(await pids('--mine', '--unassigned'), ['labid:a', 'labid:b', 'labid:c']);
  assert.match((await cur(['review', 'list', 'lab', '--mine', '--summary'])).stdout, /total +2/);
  assert.equal((await assign('labid:b', '--unassigned')).stdout, 'unassigned labid:b\n');
  const [kept] = JSON.parse((await assign('labid:a', '--to', me, '--due', 'none', '--json')).stdout);
  assert.deepEqual([kept.assignment.assignee, kept.assignment.due], [me, null]);
  assert.deepEqual(await pids('--unassigned'), ['labid:b', 'labid:c']);

  const some = await assign('labid:c', 'labid:x', '--to', me);
  assert.deepEqual([some.status, some.stdout], [2, `assigned labid:c ${me}\n`]);
  assert.match(some.stderr, /labid:x: No submission with the pid 'labid:x' waits in the zone/);
  const other = await assign('labid:a', '--to', 'ann@example.org');
  assert.equal(other.status, 2);
  assert.match(
    other.stderr,
    /labid:a: --to: expected a curator of the collection, found 'ann@example.org'\./,
  );
  assert.match((await assign('labid:a', '--mine', '--due', 'soon')).stderr, /--due: .*date/);
  for (const args of [[], ['--mine', '--unassigned']])
    assert.match((await assign('labid:a', ...args)).stderr, /Add one of --to USER, --mine and --unassigned/);
});

test('decisions of one command are undone with one command, by the ids that it prints', async (t) => {
  const service = await listening(t);
  const cur = as(service, 'cur');
  for (const name of ['a', 'b'])
    await service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
  const accepted = await cur(['review', 'accept', 'lab', 'ann', 'labid:a', 'labid:b']);
  const ids = [...accepted.stdout.matchAll(/^accept labid:\w (\S+)$/gm)].map(([, id]) => id as string);
  assert.equal(ids.length, 2, accepted.stderr);
  const undone = await cur(['review', 'undo', 'lab', ...ids]);
  assert.equal(undone.status, 0, undone.stderr);
  assert.match(undone.stdout, /^undone accept labid:a \S+\nundone accept labid:b \S+\n$/);
  assert.equal((await cur(['review', 'list', 'lab'])).stdout.match(/waiting/g)?.length, 2);

  const rejected = await cur(['review', 'reject', 'lab', 'ann', 'labid:a', '--reason', 'no', '--json']);
  const [{ decision }] = JSON.parse(rejected.stdout);
  const some = await cur(['review', 'undo', 'lab', ids[0]!, decision.id]);
  assert.equal(some.status, 2);
  assert.match(some.stderr, new RegExp(`${ids[0]}: The decision was undone by`));
  assert.match(some.stdout, /^undone reject labid:a \S+\n$/);
});

test('refusals name the options of the command', async (t) => {
  const service = await listening(t);
  const cur = as(service, 'cur');
  await service.request('POST', '/lab/record/Person', { token: 'ann', json: person('a') });
  const decide = (verdict: string, ...options: string[]) =>
    cur(['review', verdict, 'lab', 'ann', 'labid:a', ...options]);
  const past = await decide('defer', '--until', '2001-01-01T00:00:00Z');
  assert.match(past.stderr, /--until: expected a date and time in the future/);
  const without = await decide('reject', '--reason', '');
  assert.match(without.stderr, /--reason: expected a non-empty string/);
  const nothing = await decide('accept', '--take', '/description=curated');
  assert.match(nothing.stderr, /--take: nothing differs at or below '\/description'/);
  await decide('reject', '--reason', 'no');
  const again = await decide('accept');
  assert.deepEqual(
    [again.status, /labid:a: It was rejected by cur\S* at 20\S+ Add --overturn to/.test(again.stderr)],
    [2, true],
    again.stderr,
  );
  assert.equal((await decide('accept', '--overturn')).status, 0);
});

test('an import names its batch, and the file of refused rows the columns', {
  skip: lacks('tables'),
}, async (t) => {
  const service = await listening(t);
  const file = join(scratch(t), 'people.csv');
  writeFileSync(file, 'pid,name,family_name,email\nlabid:a,A,A,\nlabid:b,B,B,no mail\n');
  const args = ['import', 'lab', file, '-C', 'Person', '--batch', 'june', '--message', 'all of June'];
  const imported = await as(service, 'ann')(args);
  assert.match(imported.stderr, /1 row stored, 1 refused/);
  assert.match(readFileSync(file.replace('.csv', '.rejected.csv'), 'utf8'), /,email: Found |,"email: Found /);
  writeFileSync(file, 'name,family_name\nA,A\nB,B\n');
  const without = await as(service, 'ann')(['import', 'lab', file, '-C', 'Person']);
  assert.equal(without.status, 2);
  assert.match(
    without.stderr,
    /row 1: The table has no column pid.*such as labid:a; the desk makes them\.\n.*correct the header, name slots of columns with --map, or its row with --header-row\n/,
  );
  const list = await as(service, 'cur')(['review', 'list', 'lab', '--batch', 'june', '--json']);
  assert.partialDeepStrictEqual(JSON.parse(list.stdout), [{ pid: 'labid:a', message: 'all of June' }]);
});

test('an empty list is reported, and a missing token with how to send one', async (t) => {
  const service = await listening(t);
  const list = await as(service, 'cur')(['review', 'list', 'lab']);
  assert.deepEqual([list.status, list.stdout, list.stderr], [0, '', 'Nothing found.\n']);
  const json = await as(service, 'cur')(['review', 'list', 'lab', '--json']);
  assert.deepEqual([json.stdout, json.stderr], ['[]\n', '']);
  const refused = await accession(['status'], { env: { ACCESSION_URL: service.url } });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /Set the variable ACCESSION_TOKEN, or run "accession login URL" once/);
});

test('a conflict is reported, and resolved by --take', async (t) => {
  const service = await listening(t);
  const cur = as(service, 'cur');
  const put = (path: string, token: string, description: string) =>
    service.request('POST', path, { token, json: { ...person('a'), description } });
  await put('/lab/curated/record/Person', 'cur', 'one');
  await put('/lab/record/Person', 'ann', 'submitted');
  await put('/lab/curated/record/Person', 'cur', 'curated');
  const refused = await cur(['review', 'accept', 'lab', 'ann', 'labid:a']);
  assert.equal(refused.status, 2, refused.stdout);
  assert.match(refused.stderr, /values, at '\/description'\. Choose .* --take '\/description=submitted'/);
  const shown = await cur(['review', 'show', 'lab', 'ann', 'labid:a']);
  assert.match(shown.stdout, /^\/description +changed +both +true +curated +submitted/m);
  const wrong = await cur(['review', 'accept', 'lab', 'ann', 'labid:a', '--take', '/description=mine']);
  assert.match(wrong.stderr, /expected PATH=submitted\|curated\|base/);
  const taken = await cur(['review', 'accept', 'lab', 'ann', 'labid:a', '--take', '/description=submitted']);
  assert.equal(taken.status, 0, taken.stderr);
  const stored = await service.request('GET', '/lab/curated/record?pid=labid:a', { token: 'cur' });
  assert.equal(stored.json<{ description: string }>().description, 'submitted');
});

test('decisions belong to curators', async (t) => {
  const service = await listening(t);
  const { status, stderr } = await as(service, 'ann')(['review', 'list', 'lab']);
  assert.deepEqual([status, /^accession: .*curat/.test(stderr)], [1, true], stderr);
});

test('filters of the queue that name no zone or class are reported', async (t) => {
  const { run } = await laboratory(t);
  const near = async (line: string, hint: RegExp) => {
    const { status, stderr } = await run(line);
    assert.deepEqual([status, hint.test(stderr)], [1, true], `${line}: ${stderr}`);
  };
  await near('review list lab --label ana', /no zone 'ana'\. Did you mean 'ann'\?/);
  await near('review list lab --class Persn', /no class 'Persn'\. Did you mean 'Person'\?/);
  await near('review list lab --label ana --summary', /no zone 'ana'/);
  await near('review decisions lab --label ana', /no zone 'ana'/);
  const none = await run('review list lab --label cur --class Project');
  assert.deepEqual([none.status, none.stderr], [0, 'Nothing found.\n']);
});
