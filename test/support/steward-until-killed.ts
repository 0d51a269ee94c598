/** For `test/migrate/kill.test.ts`: renames, merges and switches schemas again and again until it is killed. */
import { pino } from 'pino';
import { type App, openApp } from '../../src/app.ts';

const [, , store = '', one = '', two = '', databaseUrl = ''] = process.argv;
const app: App = await openApp({
  store,
  bootstrap: process.env.ADMIN_HASH ?? '',
  version: '0.0.0-test',
  logger: pino({ level: 'silent' }),
  ...(databaseUrl !== '' && { databaseUrl }),
});

async function post(url: string, token: string, payload: object): Promise<Record<string, string>> {
  const headers = { 'x-service-token': token, 'content-type': 'application/json' };
  const answer = await app.server.inject({ method: 'POST', url, headers, payload: JSON.stringify(payload) });
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.body}`);
  return answer.json();
}

const get = async (url: string) =>
  (await app.server.inject({ url, headers: { 'x-service-token': 'cora' } })).json();

// A kill between a merge and its undo has left the merge.
const { items } = (await get('/-/c/moves')) as { items: { id: string; kind: string }[] };
const merge = items.find(({ kind }) => kind === 'merge');
if (merge) await post(`/-/c/moves/${merge.id}/undo`, 'cora', {});

process.stdout.write('ready\n');
for (;;) {
  const people = (await get('/c/curated/records/')) as { pid: string }[];
  const hub = people.find(({ pid }) => pid.startsWith('ex:hub'))?.pid ?? '';
  await post('/-/c/curated/rename', 'cora', { from: hub, to: hub === 'ex:hub1' ? 'ex:hub2' : 'ex:hub1' });
  const { collections } = (await get('/server')) as { collections: { schema: string }[] };
  const address = collections[0]?.schema === one ? two : one;
  const { id } = await post('/-/c/rehearse', process.env.ADMIN ?? '', { address });
  await post(`/-/c/rehearsals/${id}/switch`, process.env.ADMIN ?? '', { if_valid: true });
  const merged = await post('/-/c/curated/merge', 'cora', {
    keep: 'ex:p0',
    drop: 'ex:p1',
    take: { '': 'keep' },
  });
  await post(`/-/c/moves/${merged.id}/undo`, 'cora', {});
  process.stdout.write('round\n');
}
