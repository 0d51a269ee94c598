/**
 * Every endpoint with a person of every mode: by sessions of an issuer and a forge, by a personal token, and by a token that the issuer
 * has signed. In short tests, each mode comes in one of these ways, and each way has several modes.
 */
import { type Caller, judge, MODES } from '../../../test/support/permission-matrix.ts';
import { isLong, repeated } from '../../../test/support/tier.ts';
import { startForge } from './forge.support.ts';
import { browserOf, FORGE_CALLBACK, hub, openWorld, signIn, signInBy } from './world.support.ts';

repeated('what groups grant is exactly what their mode permits, however the person comes', async (t) => {
  const groups = Object.fromEntries(Object.keys(MODES).map((mode) => [mode, mode]));
  const source = { groups, audiences: ['accession'] };
  const forge = await startForge(t, 'forgejo', FORGE_CALLBACK);
  const world = await openWorld(t, {
    source,
    others: [hub('forgejo', forge, { groups })],
    collection: 'c',
    tokens: { nobody: { c: 'NOTHING' } },
  });
  const { service, issuer } = world;
  const callers: Caller[] = [];
  for (const [id, [group, mode]] of Object.entries(MODES).entries()) {
    issuer.accounts.set(group, { name: group, groups: [group] });
    const session = await signIn(world, group);
    forge.accounts.set(group, { id, organizations: [group] });
    forge.account = group;
    const ofForge = await signInBy('hub', browserOf(service));
    const made = await service.request('POST', '/-/me/tokens', { token: ofForge, json: { name: 'script' } });
    const { representation: personal } = made.json<{ representation: string }>();
    const exp = Math.floor(Date.now() / 1000) + 600;
    const signed = await issuer.sign({ sub: group, aud: 'accession', groups: [group], exp });
    const ways: Caller[] = [
      { token: session, mode, as: 'person' },
      { token: ofForge, mode, as: 'person' },
      { token: personal, mode, as: 'known' },
      { token: signed, mode, as: 'known' },
    ];
    callers.push(...ways.filter((_, at) => isLong || at === id % ways.length));
  }
  await judge([service], callers);
});
