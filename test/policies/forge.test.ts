/**
 * Callers whom a forge knows, in mappings: by the instance and the mail address. Against the double or, if ACCESSION_TEST_FORGE
 * names one, a real forge (see `test/forge`).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testApp } from '../support/app.ts';
import type { TestForge } from '../support/forge-cases.ts';
import { startForgeDouble } from '../support/forge-double.ts';
import { person } from '../support/people.ts';
import { setUpRealForge } from '../support/real-forge.ts';
import { TAG } from './world.ts';

const REAL = process.env.ACCESSION_TEST_FORGE;

type Source = {
  readonly type?: 'forge' | 'forgejo';
  readonly team?: string;
  readonly instance_id?: string;
  readonly organization?: string;
};

describe(REAL ? 'callers of a real forge' : 'callers of a forge', () => {
  let forge: TestForge & { close(): Promise<void> };
  before(async () => {
    const { url, admin } = JSON.parse(REAL ?? '{}') as { url: string; admin: string };
    forge = REAL ? await setUpRealForge(url, admin) : await startForgeDouble();
  });
  after(() => forge.close());

  /** @returns what the user walt of the forge sees of a record with the policy x and an open one */
  async function seenBy(
    t: Parameters<typeof testApp>[0],
    sources: readonly Source[],
    [auth_source, user_id]: readonly [string, string],
    holder = 'walt',
  ): Promise<string> {
    const auth_sources = [
      { type: 'config' },
      ...sources.map(({ team = 'writers', ...source }) => ({
        type: 'forge',
        url: forge.url,
        organization: 'data_handling',
        label_type: 'user',
        team,
        ...source,
      })),
    ];
    const policies = {
      policy_annotation_tag: TAG,
      policy_mapping: [{ auth_source, user_id, authorized_by: ['x'] }],
    };
    const service = await testApp(t, {
      collections: { c: { auth_sources, backend: { type: 'sqlite' }, ...policies } },
      tokens: { cleo: { c: 'CURATOR' } },
    });
    for (const json of [person('open'), person('x', { annotations: { [TAG]: 'x' } })])
      await service.request('POST', '/c/curated/record/Person', { token: 'cleo', json });
    const { status, text, json } = await service.request('GET', '/c/records/', {
      token: forge.token(holder),
    });
    assert.equal(status, 200, text);
    return json<{ name: string }[]>()
      .map(({ name }) => name)
      .join(' ');
  }

  const WALT = 'walt@example.org';

  for (const type of ['forge', 'forgejo'] as const) {
    test(`are named by the instance and the mail address, with a source of the type ${type}`, async (t) => {
      const sources = [{ type, instance_id: 'hub' }];
      assert.equal(await seenBy(t, sources, ['forgejo_hub', WALT]), 'open x');
      for (const other of [
        ['forgejo_hub', 'walt'],
        ['forgejo_hub', 'Walt@example.org'],
        ['forgejo_Hub', WALT],
        ['forge_hub', WALT],
        ['forgejo_None', WALT],
        ['config', WALT],
      ] as const)
        assert.equal(await seenBy(t, sources, other), 'open', other.join(' '));
    });
  }

  test('are of forgejo_None without an instance_id, unless two sources have none', async (t) => {
    assert.equal(await seenBy(t, [{}], ['forgejo_None', WALT]), 'open x');
    assert.equal(await seenBy(t, [{}, { team: 'readers' }], ['forgejo_None', WALT]), 'open');
    assert.equal(await seenBy(t, [{}, { instance_id: 'hub' }], ['forgejo_None', WALT]), 'open x');
  });

  test('belong to the first source that accepts their token', async (t) => {
    const sources = [
      { team: 'readers', instance_id: 'one' },
      { instance_id: 'two' },
      { instance_id: 'three' },
    ];
    assert.equal(await seenBy(t, sources, ['forgejo_two', WALT]), 'open x');
    for (const other of ['forgejo_one', 'forgejo_three'])
      assert.equal(await seenBy(t, sources, [other, WALT]), 'open', other);
  });
});
