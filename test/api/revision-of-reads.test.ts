/** `Accession-Revision` is the revision of the records beside it, also while another instance writes. */
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type TestService, testApp } from '../support/app.ts';
import { BACKENDS } from '../support/backends.ts';
import { person } from '../support/people.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { repeated } from '../support/tier.ts';

const WRITES = 60;
const TOKENS = { ann: { c: 'WRITE_COLLECTION' }, cur: { c: 'CURATOR' } };
const READS = [
  ['cur', '/c/curated/records/p/?size=5&page=2'],
  ['cur', '/c/curated/records/'],
  ['ann', '/c/records/p/Person?size=5'],
] as const;

for (const type of BACKENDS) {
  repeated(
    `${type}: a list or page is of the revision that it names, whatever is written meanwhile`,
    async (t) => {
      const options = type.startsWith('postgresql') ? { databaseUrl: await ownDatabase() } : {};
      const writer = await testApp(t, { collections: { c: { backend: { type } } }, tokens: TOKENS }, options);
      const reader = 'databaseUrl' in options ? await testApp(t, {}, options) : writer;
      const write = (n: number) => storeOrDelete(writer, n);
      for (let n = 0; n < 10; n++) await write(n);

      let isWriting = true;
      const writing = (async () => {
        for (let n = 10; n < WRITES; n++) await write(n);
      })().finally(() => {
        isWriting = false;
      });
      const found = new Map<string, string>();
      for (let n = 0; isWriting || n < READS.length; n++) {
        const [token, url] = READS[n % READS.length]!;
        const { status, headers, text } = await reader.request('GET', url, { token });
        assert.equal(status, 200, text);
        const then = `${url}${url.includes('?') ? '&' : '?'}at=${headers['accession-revision']}`;
        assert.equal(text, found.get(token + then) ?? text, `two bodies of ${then}`);
        found.set(token + then, text);
        // A read of SQLite is done without a turn for the writer's thread.
        await setImmediate();
      }
      await writing;
      for (const [key, text] of found) {
        const [token, then] = [key.slice(0, 3), key.slice(3)];
        assert.equal((await reader.request('GET', then, { token })).text, text, then);
      }
    },
  );
}

/** Each change is in front of what is on a page: of the curated area, of a zone over it, or a delete of the record before. */
async function storeOrDelete({ request }: TestService, n: number): Promise<void> {
  const name = (at: number) => `p${100 + WRITES - at}`;
  const inZone = n % 3 === 0;
  const [area, token] = inZone ? ['', 'ann'] : ['/curated', 'cur'];
  const { status, text } =
    n % 5 === 4
      ? await request('DELETE', `/c/curated/record?pid=labid:${name(inZone ? n - 2 : n - 1)}`, {
          token: 'cur',
        })
      : await request('POST', `/c${area}/record/Person`, { token, json: person(name(n)) });
  assert.ok([200, 404].includes(status), text);
}
