/** Every view of a collection, in a process that only reads its store and in the service that owns it. */
import assert from 'node:assert/strict';
import { compareCodePoints } from '#linkml/json.ts';
import { ENDPOINTS, urlOf } from '../support/endpoints.ts';
import { eventually } from '../support/eventually.ts';
import { get, IN_PAIR, type Pair } from './pair.ts';

/** What both processes have to answer alike: every row that reads a collection, by a token that has what it needs. */
const READS: readonly (readonly [path: string, token: string])[] = [
  ...ENDPOINTS.filter(
    ({ method, path, need, writes }) =>
      method === 'GET' && path.includes('{collection}') && need !== 'admin' && !writes,
  ).map(
    (endpoint) => [urlOf(endpoint, IN_PAIR), endpoint.token === 'required' ? 'curator' : 'writer'] as const,
  ),
  // Other tokens, records, formats and pages of the same.
  ['/lab/record?pid=labid:ada', 'reader'],
  ['/lab/record?pid=labid:ada&format=ttl', 'writer'],
  ['/lab/record?pid=labid:will', 'writer'],
  ['/lab/records/Person?format=ttl', 'writer'],
  ['/lab/records/p/?size=2', 'writer'],
  ['/lab/records/p/Person?page=2&size=2', 'writer'],
  ['/lab/records/p/Person?page=1&size=2&format=ttl', 'late'],
  ['/lab/records/p/Person?matching=%25dagger%25', 'writer'],
  ['/lab/curated/records/p/Person?matching=%25dagger%25', 'curator'],
  ['/lab/incoming/late/records/p/', 'curator'],
  ['/-/lab/curated/export?format=ttl', 'curator'],
  ['/-/lab/search?q=dagger', 'writer'],
  ['/-/lab/links?pid=labid:ada', 'curator'],
  ['/-/lab/classes', 'reader'],
  ['/-/me', 'writer'],
  ['/server', 'reader'],
];

/** Entity tags of the review belong to one process. */
const isReview = (path: string) => /\/(review|submissions)\//.test(path);
/**
 * Without the time of the answer and the cursors of an inbox, which are sealed and differ each time, and without the order of a search
 * for words, which changes when the index follows.
 */
function comparable(path: string, text: string): string {
  if (path.endsWith('/inbox')) return text.replaceAll(/"(cursor|next)":"[\w-]+"/g, '"$1":""');
  if (!path.includes('/search?q=')) return text.replace(/"as_of":"[^"]*"/, '');
  const page = JSON.parse(text) as { items: { pid: string }[] };
  return JSON.stringify({ ...page, items: page.items.sort((a, b) => compareCodePoints(a.pid, b.pid)) });
}

/** Requires that both answer alike. */
export async function same(both: Pair, when: string): Promise<void> {
  for (const [path, token] of READS) {
    const [expected, found] = await answers(both, path, token);
    assert.equal(found.status, expected.status, `${when}, ${path}: ${found.text}`);
    assert.equal(comparable(path, found.text), comparable(path, expected.text), `${when}, ${path}`);
    if (!isReview(path)) assert.equal(found.headers.etag, expected.headers.etag, `${when}, ${path}`);
  }
}

/** The answers of both at a moment at which that of the owner stays what it is: work in the background may change it meanwhile. */
async function answers({ owner, follower }: Pair, path: string, token: string) {
  const read = async () => {
    const before = await get(owner, path, token);
    const found = await get(follower, path, token);
    return [before, found, await get(owner, path, token)] as const;
  };
  const [, found, after] = await eventually(
    `the answer to ${path} stays what it is`,
    read,
    ([before, , after]) => comparable(path, after.text) === comparable(path, before.text),
  );
  return [after, found] as const;
}
