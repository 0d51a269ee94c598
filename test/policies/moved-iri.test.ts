/** A record that a change of prefixes moves to the IRI of a deleted record: its policy decides about the history of both. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN, type TestService, testApp } from '../support/app.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { ofTier, repeated } from '../support/tier.ts';
import { of, TOKENS } from './world.ts';

const POLICY = 'https://example.org/policy';

const schema = (second: string) => `id: https://example.org/moved
name: moved
prefixes:
  linkml: https://w3id.org/linkml/
  first: https://example.org/first/
  second: https://example.org/${second}/
default_prefix: first
imports: [linkml:types]
classes:
  Note:
    attributes:
      pid: {identifier: true, range: uriorcurie}
      text: {}
      annotations: {range: Annotation, multivalued: true, inlined: true}
  Annotation:
    attributes:
      tag: {key: true, range: uriorcurie}
      value: {}
`;

const note = (pid: string, text: string, policy?: string) => ({
  pid,
  text,
  ...(policy !== undefined && { annotations: { [POLICY]: policy } }),
});

async function must({ request }: TestService, ...args: Parameters<TestService['request']>): Promise<void> {
  const { status, text } = await request(...args);
  assert.ok(status < 300, `${status} ${text}`);
}

/** The pids of the records that a caller without policies reads, as they were at a revision. */
async function pidsAt(revision: number, { request }: TestService): Promise<string[]> {
  const { text, status, json } = await request('GET', `/c/records/p/?at=${revision}`, { token: 'ann' });
  assert.equal(status, 200, text);
  return json<{ items: { pid: string }[] }>().items.map(({ pid }) => pid);
}

for (const engine of ofTier(['sqlite', 'postgresql']))
  for (const [sentence, deletedPolicy, movedPolicy, seen] of [
    ['hides the versions of the deleted one', undefined, 'x', []],
    ['shows no hidden version of the deleted one', 'x', undefined, []],
    ['leaves the versions of the deleted one to all', undefined, undefined, ['first:a']],
  ] as const)
    repeated(`${engine}: a record that moves to the IRI of a deleted one ${sentence}`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'accession-moved-'));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      for (const second of ['second', 'first']) writeFileSync(join(folder, `${second}.yaml`), schema(second));
      const service = await testApp(
        t,
        {
          collections: {
            c: {
              schema: join(folder, 'second.yaml'),
              backend: { type: 'sqlite' },
              policy_annotation_tag: POLICY,
              policy_mapping: [of('cleo', 'x')],
            },
          },
          tokens: { ...TOKENS, ann: { c: 'READ_CURATED' } },
        },
        engine === 'postgresql' ? { databaseUrl: await ownDatabase() } : {},
      );
      const write = (json: object) =>
        must(service, 'POST', '/c/curated/record/Note', { token: 'cleo', json });
      await write(note('first:a', 'of the deleted one', deletedPolicy));
      const changes = await service.request('GET', '/-/c/changes', { token: 'cleo' });
      const { revision } = changes.json<{ items: { revision: number }[] }>().items.at(-1)!;
      await must(service, 'DELETE', '/c/curated/record?pid=first:a', { token: 'cleo' });
      await write(note('second:a', 'of the moved one', movedPolicy));
      const { json } = await service.request('GET', '/collections/c', { token: ADMIN });
      const config = { ...json<object>(), schema: join(folder, 'first.yaml') };
      await must(service, 'PUT', '/collections/c', { token: ADMIN, json: config });
      const moved = await service.request('GET', '/c/curated/record?pid=first:a', { token: 'cleo' });
      assert.match(moved.text, /of the moved one/);
      assert.deepEqual(await pidsAt(revision, service), seen);
    });
