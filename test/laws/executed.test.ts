/**
 * The files of ours that one request executes, by the coverage that V8 counts: not what a page says, and helpers and hooks
 * count, too. Threads beside the one that serves requests are not counted.
 */
import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MODULES } from '../../src/modules.ts';
import { testApp } from '../support/app.ts';

const src = resolve(import.meta.dirname, '../../src');
const PERSON = { pid: 'labid:ada', name: 'Ada Byron', family_name: 'Byron' };

/** Requests of the specification that were answered before, and search. Two have a bound for their files. */
const REQUESTS: readonly {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly json?: object;
  readonly most?: number;
  /** Whether it writes: then the companions and mirrors of modules take part in its transaction. */
  readonly stores?: true;
}[] = [
  { name: 'GET by pid', method: 'GET', url: '/lab/record?pid=labid:ada', most: 34 },
  { name: 'a list', method: 'GET', url: '/lab/records/Person' },
  { name: 'a page', method: 'GET', url: '/lab/records/p/?page=1&size=10' },
  { name: 'a list as Turtle', method: 'GET', url: '/lab/records/Person?format=ttl' },
  { name: 'a search', method: 'GET', url: '/-/lab/search?q=Ada' },
  { name: 'validation', method: 'POST', url: '/lab/validate/record/Person', json: PERSON },
  {
    name: 'POST of a record',
    method: 'POST',
    url: '/lab/record/Person',
    json: PERSON,
    most: 85,
    stores: true,
  },
];
/** The names of the modules with companions or mirrors, and of those that they use. */
const IN_TRANSACTIONS = MODULES.filter(
  ({ concerned, provides }) => concerned !== undefined || provides?.files !== undefined,
).flatMap(({ name, uses = [] }) => [name, ...uses]);
/** Projections run behind the commit of a store, so their files may be executed in each turn; no response waits for them. */
const isBehindCommits = (file: string) => /^modules\/([^/]+\/projection|audit\/git\/export)\.ts$/.test(file);

/** Files that are executed in each of several turns: jobs in the background are in some of them. With much else to do, in more. */
const TURNS = { least: 5, most: 50 };

test('a request executes few files', async (t) => {
  const configuration = {
    collections: { lab: { backend: { type: 'sqlite' } } },
    tokens: { ann: { lab: 'WRITE_COLLECTION' } },
  };
  const { request } = await testApp(t, configuration, { modules: MODULES });
  await request('POST', '/lab/record/Person', { token: 'ann', json: PERSON });
  const session = new Session();
  session.connect();
  t.after(() => session.disconnect());
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (const { name, method, url, most = Number.POSITIVE_INFINITY, json, stores } of REQUESTS) {
    const turn = async () => {
      await session.post('Profiler.takePreciseCoverage');
      const { status } = await request(method, url, { token: 'ann', ...(json && { json }) });
      assert.equal(status, 200);
      return executedIn((await session.post('Profiler.takePreciseCoverage')).result);
    };
    await turn();
    let files = await turn();
    const ofModules = () =>
      [...files].filter(
        (file) =>
          file.startsWith('modules/') &&
          !isBehindCommits(file) &&
          !(stores && IN_TRANSACTIONS.some((name) => file.startsWith(`modules/${name}/`))),
      );
    const isTooMany = () => files.size > most || ofModules().length > 0;
    for (let done = 1; done < TURNS.least || (isTooMany() && done < TURNS.most); done++)
      files = files.intersection(await turn());
    files = new Set([...files].filter((file) => !isBehindCommits(file)));
    t.diagnostic(`${name}: ${files.size} files\n${[...files].sort().join('\n')}`);
    assert.deepEqual(ofModules(), [], `${name} executes files of modules`);
    assert.ok(files.size <= most, `${name} executes ${files.size} files, expected at most ${most}`);
  }
});

type Script = {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { count: number }[] }[];
};

/** The files of `src` of which a function was called. */
function executedIn(scripts: readonly Script[]): Set<string> {
  const called = scripts.filter(({ functions }) =>
    functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
  );
  const files = called.flatMap(({ url }) =>
    url.startsWith('file:') ? relative(src, fileURLToPath(url)) : [],
  );
  return new Set(files.filter((file) => !file.startsWith('..')));
}
