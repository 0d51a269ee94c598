/**
 * Pairs of services for tests of policies: one whose collection restricts records, and one that never had the records that a
 * caller does not see. What one answers to the caller, the other has to answer, too.
 */
import type { TestContext } from 'node:test';
import { type TestAnswer, type TestRequest, type TestService, testApp } from '../support/app.ts';

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

/** Something stored: where, by which class, and which policies a caller needs for it. */
export type Stored = {
  readonly area: 'curated' | 'zone';
  readonly className: string;
  readonly record: { readonly pid: string } & object;
  readonly needs: readonly (string | null)[];
};

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

export function open(
  t: Pick<TestContext, 'after'>,
  policies: Policies | undefined,
  backend: string,
): Promise<TestService> {
  const collections = { c: { default_token: 'guest', backend: { type: backend }, ...policies } };
  return testApp(t, { collections, tokens: TOKENS });
}

/** Stores records in order, in the areas that they belong to: of the user ann, or curated. */
export async function fill({ request }: TestService, all: readonly Stored[]): Promise<void> {
  for (const { area, className, record } of all) {
    const path =
      area === 'curated' ? `/c/curated/record/${className}` : `/c/incoming/ann/record/${className}`;
    const { status, text } = await request('POST', path, { token: 'cleo', json: record });
    if (status !== 200) throw new Error(`${status} ${text} ${JSON.stringify(record)}`);
  }
}

/** A service with all records, and one with those that a caller with some policies sees. */
export async function pair(
  t: Pick<TestContext, 'after'>,
  policies: Policies,
  backend: string,
  all: readonly Stored[],
  granted: readonly string[],
): Promise<{ readonly restricted: TestService; readonly bare: TestService }> {
  const restricted = await open(t, policies, backend);
  const bare = await open(t, undefined, backend);
  await fill(restricted, all);
  await fill(
    bare,
    all.filter(({ needs }) => needs.every((need) => need !== null && granted.includes(need))),
  );
  return { restricted, bare };
}

/** What a client can compare: without times, revisions and what else depends on how many writes there were. */
export function comparable({ status, headers, text }: TestAnswer): object {
  const { date: _, etag, 'content-length': __, 'x-request-id': ___, ...rest } = headers;
  const { 'accession-revision': ____, ...others } = rest;
  return { status, headers: { ...others, etag: etag !== undefined }, body: inOrder(withoutCounters(text)) };
}

/** The referrers of a record have the order in which they came to refer to it. */
function inOrder(text: string): string {
  const [, before, listed, after] = /^(.*"detail":\[)(.*"record_referenced".*)(\].*)$/.exec(text) ?? [];
  return listed === undefined ? text : before + listed.split('},{').sort().join('},{') + after;
}

function withoutCounters(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, 'TIME')
    .replaceAll(/"revision":\d+/g, '"revision":0')
    .replaceAll(/at revision \d+/g, 'at revision 0')
    .replaceAll(/"next":\d+/g, '"next":0')
    .replaceAll(/"next":"[^"]*","generation":"[^"]*"/g, '"next":""')
    .replaceAll(/\\"[\w-]{10}\.\w+\.json\\"/g, 'TAG')
    .replaceAll(/"(?:\w{10})\.\w+\.json"/g, 'TAG')
    .replaceAll(/"policies":\[[^\]]*\],?/g, '');
}

export type Probe = TestRequest & { readonly method: string; readonly url: string };
