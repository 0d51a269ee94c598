/** Every endpoint with a person of every mode: by a session, by a personal token, and by a token that the issuer has signed. */
import { test } from 'node:test';
import { type Caller, judge, MODES } from '../../../test/support/permission-matrix.ts';
import { openWorld, signIn } from './world.support.ts';

test('what groups grant is exactly what their mode permits, however the person comes', async (t) => {
  const groups = Object.fromEntries(Object.keys(MODES).map((mode) => [mode, mode]));
  const source = { groups, audiences: ['accession'] };
  const world = await openWorld(t, { source, collection: 'c', tokens: { nobody: { c: 'NOTHING' } } });
  const { service, issuer } = world;
  const callers: Caller[] = [];
  for (const [group, mode] of Object.entries(MODES)) {
    issuer.accounts.set(group, { name: group, groups: [group] });
    const session = await signIn(world, group);
    const made = await service.request('POST', '/-/me/tokens', { token: session, json: { name: 'script' } });
    const { representation: personal } = made.json<{ representation: string }>();
    const exp = Math.floor(Date.now() / 1000) + 600;
    const signed = await issuer.sign({ sub: group, aud: 'accession', groups: [group], exp });
    callers.push(
      { token: session, mode, as: 'person' },
      { token: personal, mode, as: 'known' },
      { token: signed, mode, as: 'known' },
    );
  }
  await judge([service], callers);
});
