/** Reads of former states, held against what was answered then. */
import assert from 'node:assert/strict';
import type { TestService } from './app.ts';

export const TOKENS = {
  ann: { c: 'WRITE_COLLECTION' },
  bob: { c: 'READ_CURATED' },
  cur: { c: 'CURATOR' },
};

/** A collection of a backend, for `TOKENS`. */
export const configuration = (type: string, more: object = {}) => ({
  collections: { c: { backend: { type }, ...more } },
  tokens: TOKENS,
});

/** What is read after each step, by whom: the records `a`, `b`, `c` and `z`, and lists. */
const READS = [
  ['ann', '/c/records/'],
  ['ann', '/c/records/?format=ttl'],
  ['ann', '/c/records/Person'],
  ['ann', '/c/records/p/Thing?page=2&size=2'],
  ['ann', '/c/records/p/?size=3'],
  ['ann', '/-/c/export'],
  ['ann', '/-/c/export?format=ttl&after=labid:b'],
  ['bob', '/c/records/p/'],
  ['cur', '/c/curated/records/p/Organization'],
  ['cur', '/-/c/curated/export'],
  ['cur', '/c/incoming/ann/records/'],
  ['cur', '/c/incoming/ann/records/p/Person'],
  ...['a', 'b', 'c', 'z'].flatMap((name) => [
    ['ann', `/c/record?pid=labid:${name}`],
    ['bob', `/c/record?pid=labid:${name}&format=ttl`],
    ['cur', `/c/curated/record?pid=labid:${name}`],
  ]),
] as [token: string, url: string][];

const withAt = (url: string, at: string) =>
  `${url}${url.includes('?') ? '&' : '?'}at=${encodeURIComponent(at)}`;

async function everything({ request }: TestService, at: (token: string) => string | undefined) {
  const found: [url: string, status: number, text: string][] = [];
  for (const [token, url] of READS) {
    const moment = at(token + url);
    const { status, text } = await request('GET', moment === undefined ? url : withAt(url, moment), {
      token,
    });
    found.push([`${token} ${url}`, status, text]);
  }
  return found;
}

/** The revisions that each list answers, and a time. */
async function momentsNow({ request }: TestService) {
  const revisions = new Map<string, string>();
  for (const [token, url] of READS) {
    const { headers } = await request('GET', url.includes('/record?') ? listOf(url) : url, { token });
    revisions.set(token + url, headers['accession-revision']!);
  }
  return { revisions, time: new Date().toISOString() };
}

const listOf = (url: string) => url.replace(/record\?.*/, 'records/p/');

/** A request that changes something. */
type Step = readonly [token: string, method: string, path: string, json?: object];

/** Makes changes, and reads everything as it was after each of them: byte for byte what was answered then. */
export async function assertReadAsThen(service: TestService, steps: readonly Step[]): Promise<void> {
  const kept: { readonly answers: unknown; readonly moments: Awaited<ReturnType<typeof momentsNow>> }[] = [];
  for (const [token, method, path, json] of steps) {
    const { status, text } = await service.request(method, path, { token, ...(json && { json }) });
    assert.equal(status, 200, text);
    const moments = await momentsNow(service);
    kept.push({ answers: await everything(service, () => undefined), moments });
    // The next change has a later time.
    while (new Date().toISOString() <= moments.time);
  }
  for (const { answers, moments } of kept) {
    assert.deepEqual(await everything(service, (read) => moments.revisions.get(read)), answers);
    assert.deepEqual(await everything(service, () => moments.time), answers);
  }
}
