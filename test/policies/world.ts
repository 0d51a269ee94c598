/**
 * Pairs of services for tests of policies: one whose collection restricts records, and one that never had the records that a
 * caller does not see. What one answers to the caller, the other has to answer, too.
 */
import type { TestContext } from 'node:test';
import { ADMIN, type TestAnswer, type TestRequest, type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

export const TAG = 'lab:policy';
export const TAG_IRI = 'https://example.org/laboratory/schema/policy';

export type Policies = {
  readonly policy_annotation_tag?: string;
  readonly default_policy?: string;
  readonly policy_mapping?: readonly {
    readonly auth_source: string;
    readonly user_id: string;
    readonly authorized_by: readonly string[];
  }[];
};

/** A change of an area: a record that is stored, and which policies a caller needs for it, or a pid that is deleted. */
export type Change = { readonly area: 'curated' | 'zone' } & (
  | {
      readonly className: string;
      readonly record: { readonly pid: string } & object;
      readonly needs: readonly (string | null)[];
    }
  | { readonly deleted: string }
);

export const TOKENS = {
  guest: { c: 'READ_CURATED' },
  ann: { c: 'WRITE_COLLECTION' },
  cleo: { c: 'CURATOR' },
};

export const of = (user: string, ...authorized_by: string[]) => ({
  auth_source: 'config',
  user_id: `${user}@example.org`,
  authorized_by,
});

/** An entry for all whose own tokens permit reading. */
export const readers = (...authorized_by: string[]) => ({ auth_source: '*', user_id: '*', authorized_by });

export function open(
  t: Pick<TestContext, 'after'>,
  policies: Policies | undefined,
  backend: string,
): Promise<TestService> {
  const collections = { c: { default_token: 'guest', backend: { type: backend }, ...policies } };
  return testApp(t, { collections, tokens: TOKENS });
}

/** Replaces the policies of the collection. */
export async function setPolicies({ request }: TestService, policies: Policies): Promise<void> {
  const config = (await request('GET', '/collections/c', { token: ADMIN })).json<object>();
  const others = Object.entries(config).filter(([key]) => !key.includes('polic'));
  const json = { ...Object.fromEntries(others), ...policies };
  const { status, text } = await request('PUT', '/collections/c', { token: ADMIN, json });
  if (status !== 201) throw new Error(`${status} ${text}`);
}

/** Makes changes in order, in the areas that they belong to: of the user ann, who stores there, or curated. */
async function make({ request }: TestService, changes: readonly Change[]): Promise<void> {
  for (const change of changes) {
    const isOwn = change.area === 'zone';
    const { status, text } = await ('deleted' in change
      ? request('DELETE', `/c/${isOwn ? 'incoming/ann' : 'curated'}/record?pid=${change.deleted}`, {
          token: 'cleo',
        })
      : request('POST', `/c/${isOwn ? '' : 'curated/'}record/${change.className}`, {
          token: isOwn ? 'ann' : 'cleo',
          json: change.record,
        }));
    if (status !== 200) throw new Error(`${status} ${text} ${JSON.stringify(change)}`);
  }
}

/** The changes that a caller learns of: of visible versions of records whose last version is visible. */
function seenChanges(changes: readonly Change[], granted: readonly string[]): Change[] {
  const { versions, last } = versionsOf(changes, granted);
  return versions.filter(({ key, isSeen }) => isSeen && last.get(key)).map(({ change }) => change);
}

/**
 * Left out is what others never learn of, and the submitter did before: a record of the own zone that is deleted without being
 * seen, and stored again, since another submission begins with that; and a version that is hidden now, if the curated record has
 * changed before the next one, since the submission is still compared with what the first one was made from.
 */
export function withoutBlindSubmissions(changes: readonly Change[], granted: readonly string[]): Change[] {
  const { versions } = versionsOf(changes, granted);
  const isBlind = ({ change, isSeen }: (typeof versions)[number], at: number) => {
    if (change.area !== 'zone' || isSeen) return false;
    if ('deleted' in change) return true;
    const later = versions.slice(at + 1).map((version) => version.change);
    const isNext = (one: Change) => one.area === 'zone' && pidOf(one) === pidOf(change);
    const next = later.findIndex(isNext);
    return next >= 0 && later.slice(0, next).some((one) => pidOf(one) === pidOf(change));
  };
  return versions.filter((version, at) => !isBlind(version, at)).map(({ change }) => change);
}

function pidOf(change: Change): string {
  return 'deleted' in change ? change.deleted : change.record.pid;
}

/** Whether a caller sees the version of each change, and the last one of each record. */
function versionsOf(changes: readonly Change[], granted: readonly string[]) {
  const last = new Map<string, boolean>();
  const versions = changes.map((change) => {
    const key = `${change.area} ${pidOf(change)}`;
    // A deletion belongs to the version that it deletes.
    const isSeen =
      'deleted' in change
        ? last.get(key)!
        : change.needs.every((need) => need !== null && granted.includes(need));
    last.set(key, isSeen);
    return { change, key, isSeen };
  });
  return { versions, last };
}

/**
 * A service with all records, and one with those that a caller with some policies sees.
 *
 * @param former the policies that are in force while the records are stored
 */
export async function pair(
  t: Pick<TestContext, 'after'>,
  { policies, former }: { readonly policies: Policies; readonly former: Policies },
  backend: string,
  all: readonly Change[],
  granted: readonly string[],
): Promise<{ readonly restricted: TestService; readonly bare: TestService }> {
  const restricted = await open(t, former, backend);
  const bare = await open(t, undefined, backend);
  await make(restricted, all);
  await setPolicies(restricted, policies);
  await make(bare, seenChanges(all, granted));
  return { restricted, bare };
}

/** What a client can compare: without times, and without what is different for each request. */
export function comparable({ status, headers, text }: TestAnswer): object {
  const { date: _, 'x-request-id': __, 'content-length': length, ...rest } = headers;
  const { 'accession-revision': ___, ...others } = rest;
  // Those who see every record follow changes by revisions, the others by times.
  const isFeed = text.includes('"generation"');
  return { status, headers: others, length: isFeed ? '' : length, body: inOrder(withoutTimes(text)) };
}

/** Those who see every record get the referrers of a record in the order in which they came to refer to it, and the best records of a search first. */
function inOrder(text: string): string {
  if (!/"record_referenced"|"referrers"|"matched":"words"/.test(text)) return text;
  return JSON.stringify(JSON.parse(text), (key, value) =>
    ['from', 'detail', 'items', 'highlights'].includes(key) && Array.isArray(value)
      ? value.map((one) => JSON.stringify(one)).sort()
      : value,
  );
}

/** The numbers of own changes are times, too. */
function withoutTimes(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, 'TIME')
      .replaceAll(/"(revision|next)":\d{16}\b/g, '"$1":TIME')
      .replaceAll(/"next":"[^"]*","generation":"[^"]*"/g, '"next":""')
      // Sealed cursors of an inbox, which differ each time.
      .replaceAll(/"next":"[\w-]+","unread"/g, '"next":"SEALED","unread"')
      .replaceAll(/("unread":\d+,"cursor":)"[\w-]+"/g, '$1"SEALED"')
      .replaceAll(/"items":\[\{"revision":.*?\],"next":""/g, (items) =>
        items.replaceAll(/"revision":(?:\d+|TIME)/g, ''),
      )
      .replaceAll(/"policies":\[[^\]]*\],?/g, '')
  );
}

export type Probe = TestRequest & { readonly method: string; readonly url: string };

/** What probes are made for: the pids that there are, and a policy that the caller has. */
export type Probed = { readonly pids: readonly string[]; readonly granted: string | undefined };

/** By method and path of the row. */
export type Probes = Readonly<Record<string, (probed: Probed) => readonly Probe[]>>;

/** A policy of `ann`; curated records with another one are hidden. */
export const POLICIES = { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x')] };
export const hidden = (name: string, more: object = {}) =>
  person(name, { annotations: { [TAG]: 'y' }, ...more });

/** Sends something as a curator. */
export const curator = ({ request }: TestService, path: string, json: object) =>
  request('POST', path, { token: 'cleo', json });
