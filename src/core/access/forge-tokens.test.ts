/** The forge source against the double, which repeats the answers of a real Gitea. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openForgeSource, runForgeCases, summary } from '../../../test/support/forge-cases.ts';
import { type ForgeDouble, startForgeDouble } from '../../../test/support/forge-double.ts';
import { Forges } from './forge-client.ts';

describe('tokens of a forge, as recorded', () => {
  let forge: ForgeDouble;
  before(async () => {
    forge = await startForgeDouble();
  });
  after(() => forge.close());
  runForgeCases(() => forge);

  test('an instance_id names the instance in labels, for the same user of another instance too', async () => {
    const labels = [];
    for (const instance_id of ['hub', 'mirror']) {
      const source = openForgeSource(forge.url, { instance_id, label_type: 'user' });
      const answer = await source.authenticate(forge.token('walt'));
      labels.push('grant' in answer && summary(answer.grant)[2]);
    }
    assert.deepEqual(labels, ['forgejo-hub-user-walt', 'forgejo-mirror-user-walt']);
  });

  test('users of the same name on two forges have zones of their own', async () => {
    const other = await startForgeDouble();
    const labels = new Set<unknown>();
    for (const { url } of [forge, other]) {
      const answer = await openForgeSource(url, { label_type: 'user' }).authenticate(forge.token('walt'));
      assert.ok('grant' in answer);
      labels.add(answer.grant.label);
    }
    await other.close();
    assert.equal(labels.size, 2);
  });

  test('a trailing slash of the address makes no difference, also not in labels', async () => {
    const answers = [];
    for (const url of [forge.url, `${forge.url}/`]) {
      answers.push(await openForgeSource(url).authenticate(forge.token('walt')));
    }
    assert.deepEqual(answers[0], answers[1]);
  });

  test('a name that would leave the folder of the zones is refused', async () => {
    const answer = await openForgeSource(forge.url, { instance_id: '../..' }).authenticate(
      forge.token('walt'),
    );
    assert.ok('reason' in answer && answer.reason.endsWith("can't name an incoming zone"));
  });

  test('two sources at the same forge ask it once', async () => {
    const forges = new Forges();
    forge.calls.length = 0;
    for (const overrides of [
      { team: 'writers' },
      { team: 'writers', label_type: 'user' } as const,
      { team: 'curators' },
    ]) {
      await openForgeSource(forge.url, overrides, forges).authenticate(forge.token('walt'));
    }
    assert.deepEqual(forge.calls.toSorted(), [
      'orgs/data_handling',
      'orgs/data_handling/teams',
      'user',
      'user/teams',
    ]);
  });

  test('what can be no token of a forge is refused without a call', async () => {
    forge.calls.length = 0;
    const source = openForgeSource(forge.url);
    for (const token of ['two words', 'line\r\nbreak: x', 'ümlaut', 'x'.repeat(5000)]) {
      assert.deepEqual(await source.authenticate(token), { reason: 'not a token of a forge' });
    }
    assert.deepEqual(forge.calls, []);
  });
});
