/** People sign in at a real issuer: the way there and back, sessions, and what they may do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { DAY } from '../../core/durations.ts';
import { TIMES } from './times.ts';
import { ADMIN, browserOf, meOf, openWorld, saveUses, signIn } from './world.support.ts';

test('someone signs in at the issuer, and has what the groups grant', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const listed = await service.request('GET', '/-/sign-in');
  assert.deepEqual(listed.json(), { items: [{ name: 'institute', title: 'Institute', kind: 'oidc' }] });
  const token = await signIn(world, 'ann');
  const me = await meOf(service, token);
  assert.equal(me.user_id, 'institute:ann');
  assert.deepEqual(me.collections.lab?.permissions, ['read_curated', 'read_zone', 'write_zone']);
  assert.equal(me.collections.lab?.label, 'oidc_institute.ann');
  const json = { pid: 'labid:p1', name: 'Abe', family_name: 'Abe' };
  const stored = await service.request('POST', '/lab/record/Person', { token, json });
  assert.equal(stored.status, 200, stored.text);
  const curator = await signIn(world, 'cora');
  assert.ok((await meOf(service, curator)).collections.lab?.permissions.includes('curate'));
  assert.equal(
    (await service.request('GET', '/lab/incoming/', { token: curator })).text,
    '["oidc_institute.ann","reader"]',
  );
  await service.request('POST', '/lab/curated/record/Person', { token: curator, json });
  const history = await service.request('GET', '/-/lab/history?pid=labid:p1', { token: curator });
  assert.match(history.text, /institute:cora/);
});

test('the way leads back to the link that was shared', async (t) => {
  const world = await openWorld(t);
  const browser = browserOf(world.service);
  world.issuer.account = 'ann';
  const place = '/-/desk/lab/record?pid=labid%3Ap1';
  await browser.follow(`/-/sign-in/institute?return=${encodeURIComponent(place)}`, (url) =>
    url.includes('/-/desk/'),
  );
  const { text } = await browser.send('/-/sign-in/session', 'POST');
  assert.equal((JSON.parse(text) as { return: string }).return, place);
});

test('a session is renewed while it is used, ends by itself, and at last however much it is used', async (t) => {
  const world = await openWorld(t, { source: { scopes: ['openid', 'profile', 'offline_access'] } });
  const { service } = world;
  const token = await signIn(world, 'ann');
  const ends = async () => {
    const answer = await service.request('GET', '/-/me/sessions', { token });
    return Date.parse(answer.json<{ sessions: { ends: string }[] }>().sessions[0]!.ends);
  };
  const first = await ends();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + TIMES.session / 2 });
  await meOf(service, token);
  await saveUses(service);
  assert.ok((await ends()) >= first + TIMES.session / 2);
  for (let hour = 0; hour < 16; hour++) {
    t.mock.timers.tick(TIMES.session * 0.9);
    const { status } = await service.request('GET', '/-/me', { token });
    if (status === 401) {
      assert.ok(hour >= 14, `it has ended after ${hour} rounds`);
      return;
    }
    await saveUses(service);
  }
  assert.fail('the session did not end');
});

test('a session whose issuer cannot be asked again is not renewed', async (t) => {
  const world = await openWorld(t);
  const { service, issuer } = world;
  const token = await signIn(world, 'ann');
  // The access token of the issuer ends before the session does.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + TIMES.session / 2 });
  await issuer.rotate();
  await meOf(service, token);
  await saveUses(service);
  t.mock.timers.tick(TIMES.session / 2 + 1);
  assert.equal((await service.request('GET', '/-/me', { token })).status, 401);
});

test('someone who is removed from a group loses what it grants within five minutes', async (t) => {
  const world = await openWorld(t);
  const { service, issuer } = world;
  const token = await signIn(world, 'ann');
  issuer.accounts.set('ann', { name: 'Ann Ash', groups: [] });
  assert.ok((await meOf(service, token)).collections.lab?.permissions.includes('write_zone'));
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + TIMES.askedAtMost + 1 });
  assert.deepEqual((await meOf(service, token)).collections.lab?.permissions, []);
});

test('an issuer that is down does not end sessions, and new sign-ins say why', async (t) => {
  const world = await openWorld(t);
  const { service, issuer } = world;
  const token = await signIn(world, 'ann');
  await issuer.stop();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + TIMES.discovery + 1 });
  assert.ok((await meOf(service, token)).collections.lab?.permissions.includes('write_zone'));
  const refused = await service.request('GET', '/-/sign-in/institute', { headers: { host: 'localhost' } });
  assert.equal(refused.status, 503, refused.text);
  assert.match(refused.text, /Institute cannot be asked now: no program listens there\. Sessions go on/);
  const page = await service.request('GET', '/-/sign-in/institute', {
    headers: { host: 'localhost', accept: 'text/html' },
  });
  assert.equal(page.status, 303);
  assert.equal(page.headers.location, '/-/desk/signed-in?source=institute&problem=sign_in_unavailable');
  await issuer.start();
  t.mock.timers.tick(TIMES.failure + 1);
  await signIn(world, 'cora');
});

test('people sign out here, and everywhere', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const [one, two, three] = [
    await signIn(world, 'ann'),
    await signIn(world, 'ann'),
    await signIn(world, 'ann'),
  ];
  const other = await signIn(world, 'cora');
  const out = await service.request('DELETE', '/-/me/sessions', { token: one });
  assert.equal(out.status, 200, out.text);
  assert.equal((await service.request('GET', '/-/me', { token: one })).status, 401);
  const listed = await service.request('GET', '/-/me/sessions', { token: two });
  const { sessions, person } = listed.json<{ sessions: { current: boolean }[]; person: { name: string } }>();
  assert.equal(person.name, 'Ann Ash');
  assert.deepEqual(
    sessions.map(({ current }) => current),
    [false, true],
  );
  await service.request('DELETE', '/-/me/sessions?everywhere=true', { token: two });
  for (const token of [two, three])
    assert.equal((await service.request('GET', '/-/me', { token })).status, 401);
  await meOf(service, other);
});

test('personal tokens permit what they name, never more than the person may, and end with the person', async (t) => {
  const world = await openWorld(t);
  const { service, issuer } = world;
  const token = await signIn(world, 'ann');
  const make = async (json: object, as = token) =>
    service.request('POST', '/-/me/tokens', { token: as, json });
  const whole = (await make({ name: 'script' })).json<{ representation: string; id: number }>();
  const reads = (await make({ name: 'reads', collections: { lab: 'READ_CURATED' } })).json<{
    representation: string;
  }>();
  const more = (await make({ name: 'more', collections: { lab: 'CURATOR' } })).json<{
    representation: string;
  }>();
  const elsewhere = (await make({ name: 'else', collections: {} })).json<{ representation: string }>();
  const permissions = async ({ representation }: { representation: string }) =>
    (await meOf(service, representation)).collections.lab?.permissions;
  assert.deepEqual(await permissions(whole), ['read_curated', 'read_zone', 'write_zone']);
  assert.deepEqual(await permissions(reads), ['read_curated']);
  assert.deepEqual(await permissions(more), ['read_curated', 'read_zone', 'write_zone']);
  assert.deepEqual(await permissions(elsewhere), []);
  // One that leaks makes no others.
  assert.equal((await make({ name: 'x' }, whole.representation)).status, 401);
  await saveUses(service);
  const listed = await service.request('GET', '/-/me/tokens', { token });
  const { items } = listed.json<{ items: { name: string; used: string | null }[] }>();
  assert.deepEqual(
    items.map(({ name }) => name),
    ['else', 'more', 'reads', 'script'],
  );
  assert.ok(items.every(({ used }) => used !== null));
  assert.ok(!listed.text.includes(whole.representation));
  assert.equal((await service.request('DELETE', `/-/me/tokens/${whole.id}`, { token })).status, 200);
  assert.equal((await service.request('GET', '/-/me', { token: whole.representation })).status, 401);
  const cora = await signIn(world, 'cora');
  assert.equal((await service.request('DELETE', `/-/me/tokens/${whole.id}`, { token: cora })).status, 404);

  issuer.accounts.set('ann', { name: 'Ann Ash', groups: [] });
  await signIn(world, 'ann');
  assert.deepEqual(await permissions(reads), []);
  const people = await service.request('GET', '/-/people?q=ash', { token: ADMIN });
  const [person] = people.json<{ items: { id: number }[] }>().items;
  await service.request('PUT', `/-/people/${person!.id}/block`, { token: ADMIN });
  assert.equal((await service.request('GET', '/-/me', { token: reads.representation })).status, 401);
});

test('personal tokens sleep while their person has not signed in for 30 days, whatever grants what they may', async (t) => {
  const world = await openWorld(t, { source: { everyone: 'READ_CURATED' } });
  const { service } = world;
  const token = await signIn(world, 'nora');
  const grant = { source: 'institute', subject: 'nora', name: 'Nora Nye', mode: 'CURATOR' };
  await service.request('PUT', '/-/lab/grants', { token: ADMIN, json: grant });
  const json = { name: 'script', days: 366 };
  const made = await service.request('POST', '/-/me/tokens', { token, json });
  const { representation } = made.json<{ representation: string }>();
  const status = async () => (await service.request('GET', '/-/me', { token: representation })).status;
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + TIMES.signedIn - DAY });
  assert.equal(await status(), 200);
  t.mock.timers.tick(2 * DAY);
  assert.equal(await status(), 401);
  await signIn(world, 'nora');
  assert.equal(await status(), 200);
});

test('what a clock that was ahead has begun ends when it is set back: it would go on for as long', async (t) => {
  const world = await openWorld(t, { source: { everyone: 'READ_CURATED' } });
  const { service, issuer } = world;
  const now = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now: now + 300 * DAY });
  const session = await signIn(world, 'ann');
  const made = await service.request('POST', '/-/me/tokens', {
    token: session,
    json: { name: 'script', days: 366 },
  });
  const { representation } = made.json<{ representation: string }>();
  const statuses = () =>
    Promise.all(
      [session, representation].map(
        async (token) => (await service.request('GET', '/-/me', { token })).status,
      ),
    );
  assert.deepEqual(await statuses(), [200, 200]);
  await issuer.stop();
  t.mock.timers.setTime(now);
  assert.deepEqual(await statuses(), [401, 401]);
  // That the issuer was not there is not known for longer, either.
  const begin = async () =>
    (await service.request('GET', '/-/sign-in/institute', { headers: { host: 'localhost' } })).status;
  t.mock.timers.setTime(now + 301 * DAY);
  assert.equal(await begin(), 503);
  await issuer.start();
  t.mock.timers.setTime(now);
  const again = await signIn(world, 'ann');
  assert.equal((await service.request('GET', '/-/me', { token: again })).status, 200);
  assert.deepEqual(await statuses(), [401, 200]);
});

test('a personal token that had ended by a clock that was ahead works again when that is set back', async (t) => {
  const world = await openWorld(t, { source: { everyone: 'READ_CURATED' } });
  const { service } = world;
  const make = async (name: string, session: string) => {
    const json = { name, days: 30 };
    const answer = await service.request('POST', '/-/me/tokens', { token: session, json });
    return { status: answer.status, token: answer.json<{ representation: string }>().representation };
  };
  const session = await signIn(world, 'ann');
  const { token } = await make('script', session);
  const status = async () => (await service.request('GET', '/-/me', { token })).status;
  const now = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now: now + 365 * DAY });
  await saveUses(service);
  assert.equal(await status(), 401);
  t.mock.timers.setTime(now);
  assert.equal(await status(), 200);
  // The session has ended for good.
  const again = await signIn(world, 'ann');
  const others = await Promise.all(Array.from({ length: 99 }, (_, n) => make(`script ${n}`, again)));
  assert.ok(others.every(({ status }) => status === 200));
  assert.equal((await make('one too many', again)).status, 422);
  t.mock.timers.setTime(now + 31 * DAY);
  assert.equal((await make('after they have ended', await signIn(world, 'ann'))).status, 200);
});

test('an administrator finds people, ends sessions, and blocks an identity', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const token = await signIn(world, 'ann');
  await signIn(world, 'cora');
  const list = async (q: string) =>
    (await service.request('GET', `/-/people${q}`, { token: ADMIN })).json<{
      items: { id: number; name: string }[];
    }>();
  assert.deepEqual((await list('')).items.map(({ name }) => name).sort(), ['Ann Ash', 'Cora Cole']);
  const [ann] = (await list('?q=ANN')).items;
  assert.equal((await list('?q=%25')).items.length, 0);
  assert.equal((await list('?q=groups')).items.length, 0);
  const read = async () =>
    (await service.request('GET', `/-/people/${ann!.id}`, { token: ADMIN })).json<Detail>();
  type Detail = { sessions: { id: number }[]; blocked: string | null; blocked_by: string | null };
  const { sessions } = await read();
  const end = `/-/people/${ann!.id}/sessions?session=${sessions[0]!.id}`;
  assert.equal((await service.request('DELETE', end, { token: ADMIN })).status, 200);
  assert.equal((await service.request('GET', '/-/me', { token })).status, 401);
  await signIn(world, 'ann');
  await service.request('PUT', `/-/people/${ann!.id}/block`, { token: ADMIN });
  const blocked = await read();
  assert.deepEqual(blocked.sessions, []);
  assert.ok(blocked.blocked);
  await assert.rejects(signIn(world, 'ann'), /an administrator has blocked this identity/);
  await service.request('DELETE', `/-/people/${ann!.id}/block`, { token: ADMIN });
  await signIn(world, 'ann');
});

test('a grant to an identity adds to groups, from the first sign-in on, and can be taken away', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const json = { source: 'institute', subject: 'nora', name: 'Nora Nye', mode: 'CURATOR' };
  const put = await service.request('PUT', '/-/lab/grants', { token: ADMIN, json });
  assert.equal(put.status, 200, put.text);
  const token = await signIn(world, 'nora');
  assert.ok((await meOf(service, token)).collections.lab?.permissions.includes('curate'));
  const grants = (await service.request('GET', '/-/lab/grants', { token: ADMIN })).json<{
    items: { id: number; by: string }[];
  }>();
  assert.equal(grants.items.length, 1);
  await service.request('DELETE', `/-/lab/grants/${grants.items[0]!.id}`, { token: ADMIN });
  assert.deepEqual((await meOf(service, token)).collections.lab?.permissions, []);
  const bad = await service.request('PUT', '/-/lab/grants', {
    token: ADMIN,
    json: { ...json, incoming_label: '../x', expires: '2027-13-45' },
  });
  assert.equal(bad.status, 422);
  assert.match(bad.text, /incoming_label.*expires/s);
});

test('someone without a grant asks for access, and a curator sees it until it is granted', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const token = await signIn(world, 'nora');
  assert.equal((await service.request('GET', '/lab/records/', { token })).status, 403);
  const asked = await service.request('POST', '/-/lab/access-requests', {
    token,
    json: { message: 'Please.' },
  });
  assert.equal(asked.status, 200, asked.text);
  const cora = await signIn(world, 'cora');
  const requests = async () =>
    (await service.request('GET', '/-/lab/access-requests', { token: cora })).json<{ items: object[] }>()
      .items;
  const [request] = (await requests()) as {
    subject: string;
    message: string;
    name: string;
    source: string;
  }[];
  assert.equal(request?.name, 'Nora Nye');
  assert.equal(request.message, 'Please.');
  assert.equal((await service.request('GET', '/-/lab/access-requests', { token })).status, 403);
  const { source, subject, name } = request;
  await service.request('PUT', '/-/lab/grants', {
    token: ADMIN,
    json: { source, subject, name, mode: 'READ_CURATED' },
  });
  assert.deepEqual(await requests(), []);
  assert.equal((await service.request('GET', '/lab/records/', { token })).status, 200);
});

test('an invitation is accepted by signing in, and binds to the identity', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const json = { name: 'nora', user_id: 'nora', mode: 'WRITE_COLLECTION', incoming_label: 'guests' };
  const made = await service.request('POST', '/-/lab/invitations', { token: ADMIN, json });
  const { secret } = made.json<{ secret: string }>();
  const token = await signIn(world, 'nora');
  const accept = () =>
    service.request('POST', '/-/lab/invitations/accept-signed-in', { token, json: { secret } });
  const accepted = await accept();
  assert.equal(accepted.status, 200, accepted.text);
  assert.equal((await meOf(service, token)).collections.lab?.label, 'guests');
  assert.equal((await accept()).status, 401);
  const listed = await service.request('GET', '/-/lab/invitations', { token: ADMIN });
  assert.match(listed.text, /"state":"accepted".*"ended_by":"institute:nora"/);
});

test('an invitation takes nothing away from someone who has a grant, and stays open', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const grant = { source: 'institute', subject: 'nora', name: 'Nora Nye', mode: 'CURATOR' };
  await service.request('PUT', '/-/lab/grants', { token: ADMIN, json: grant });
  const json = { name: 'nora', user_id: 'nora', mode: 'READ_CURATED' };
  const made = await service.request('POST', '/-/lab/invitations', { token: ADMIN, json });
  const { secret } = made.json<{ secret: string }>();
  const token = await signIn(world, 'nora');
  const path = '/-/lab/invitations/accept-signed-in';
  const refused = await service.request('POST', path, { token, json: { secret } });
  assert.equal(refused.status, 401, refused.text);
  assert.match(refused.text, /You have CURATOR in the collection 'lab' already/);
  assert.ok((await meOf(service, token)).collections.lab?.permissions.includes('curate'));
  const listed = await service.request('GET', '/-/lab/invitations', { token: ADMIN });
  assert.match(listed.text, /"state":"open"/);
});

test('names of people are for those who may read, and no text has a NUL, which databases do not store', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const [ann, nora] = [await signIn(world, 'ann'), await signIn(world, 'nora')];
  const names = (token: string, users: string[]) =>
    service.request('POST', '/-/lab/user-names', { token, json: { users } });
  assert.deepEqual((await names(ann, ['institute:nora'])).json(), {
    names: { 'institute:nora': 'Nora Nye' },
  });
  const refused = await names(nora, ['institute:ann']);
  assert.equal(refused.status, 403, refused.text);
  const grant = { source: 'institute', subject: 'nora', name: 'Nora', mode: 'CURATOR' };
  const put = (others: object) =>
    service.request('PUT', '/-/lab/grants', { token: ADMIN, json: { ...grant, ...others } });
  const answers = [
    await names(ann, ['a:\0']),
    await put({ subject: '\0' }),
    await put({ source: '\0' }),
    await put({ expires: '\0' }),
    await service.request('POST', '/-/me/tokens', { token: nora, json: { name: '\0' } }),
    await service.request('POST', '/-/lab/access-requests', { token: nora, json: { message: '\0' } }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 422),
  );
});

test('the name and the ORCID iD come from the claims, as presets say', async (t) => {
  const source = { preset: 'keycloak', groups: { curator: 'CURATOR' } };
  const world = await openWorld(t, { source });
  const { service, issuer } = world;
  issuer.accounts.set('a/b c', {
    preferred_username: 'ada',
    given_name: 'Ada',
    family_name: 'Abe',
    orcid: 'https://orcid.org/0000-0002-1825-0097',
    realm_access: { roles: ['curator', 'offline'] },
  });
  const token = await signIn(world, 'a/b c');
  const me = await meOf(service, token);
  assert.equal(me.user_id, 'institute:ada');
  assert.ok(me.collections.lab?.permissions.includes('curate'));
  // A subject that names no directory.
  assert.match(me.collections.lab?.label ?? '', /^oidc_institute\+[0-9a-f]{40}$/);
  const { person } = (await service.request('GET', '/-/me/sessions', { token })).json<{ person: object }>();
  const { name, orcid } = person as { name: string; orcid: string };
  assert.deepEqual([name, orcid], ['Ada Abe', 'https://orcid.org/0000-0002-1825-0097']);
});

test('last uses are stored without being asked for', async (t) => {
  const world = await openWorld(t);
  const token = await signIn(world, 'ann');
  await meOf(world.service, token);
  await world.service.restart();
  await eventually(
    'the session goes on after a restart',
    () => world.service.request('GET', '/-/me', { token }),
    ({ status }) => status === 200,
  );
});
