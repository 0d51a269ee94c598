/**
 * Sets a real Gitea or Forgejo up for the cases, through its own API and with an administrator's token; it can be
 * done again on the same forge. Optionally keeps every answer that the service gets, for the double.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ALL_SCOPES,
  CROWDED,
  FOREIGN,
  ORGANIZATION,
  RENAMED,
  repositoryTeams,
  scenes,
  scopedTokens,
  type TestForge,
  teamOfCrowded,
  teams,
} from './forge-cases.ts';
import { RECORDED_HEADERS, RECORDED_ORIGIN, type RecordedAnswer } from './forge-recording.ts';

/** Users of the cases get this password; tokens can only be made with one. */
const passwordOf = (user: string) => `Passw0rd-${user}`;

type Api = (method: string, path: string, body?: object, user?: string) => Promise<unknown>;

/**
 * @param url the address of the API
 * @param admin an administrator's token of all scopes
 * @param recording the file that the answers are written to
 */
export async function setUpRealForge(
  url: string,
  admin: string,
  recording?: string,
): Promise<TestForge & { close(): Promise<void> }> {
  const api = connect(url, admin);
  const ids = await populate(api);
  const tokens = new Map([['a stranger', '0123456789abcdef0123456789abcdef01234567']]);
  const rosa = { id: 0 };
  const names = [
    ...teams.flatMap(({ members }) => [...members]),
    CROWDED.member,
    FOREIGN.member,
    RENAMED.member,
    'nora',
  ];
  for (const holder of [...names, ...Object.keys(scopedTokens)]) {
    const user = holder.split(' ')[0] as string;
    const request = { name: randomBytes(8).toString('hex'), scopes: scopedTokens[holder] ?? ALL_SCOPES };
    const token = (await api('POST', `users/${user}/tokens`, request, user)) as { id: number; sha1: string };
    tokens.set(holder, token.sha1);
    if (holder === 'rosa') rosa.id = token.id;
  }
  const changes: Record<string, () => Promise<unknown>> = {
    [scenes.revoked]: () => api('DELETE', `users/rosa/tokens/${rosa.id}`, undefined, 'rosa'),
    [scenes.removed]: () => api('DELETE', `teams/${ids.get('writers')}/members/tess`),
    [scenes.deleted]: () => api('DELETE', `teams/${ids.get('short-lived')}`),
  };
  const recorder = recording ? await startRecorder(url, tokens, recording) : undefined;
  return {
    url: recorder?.url ?? url,
    token: (holder) => tokens.get(holder) ?? '',
    enter: async (scene) => {
      await changes[scene]?.();
      recorder?.enter(scene);
    },
    close: async () => recorder?.close(),
  };
}

/** Calls of the administrator, or of a user by password. What exists already is left as it is. */
function connect(url: string, admin: string): Api {
  return async (method, path, body, user) => {
    const basic = user && Buffer.from(`${user}:${passwordOf(user)}`).toString('base64');
    const response = await fetch(`${url}/${path}`, {
      method,
      headers: {
        authorization: basic ? `Basic ${basic}` : `token ${admin}`,
        'content-type': 'application/json',
      },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    const exists = response.status === 409 || (response.status === 422 && text.includes('already exists'));
    if (!response.ok && !exists) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** Makes users, organisations, teams and repositories. */
async function populate(api: Api): Promise<Map<string, number>> {
  const createUser = (username: string) =>
    api('POST', 'admin/users', {
      username,
      email: `${username}@example.org`,
      password: passwordOf(username),
      must_change_password: false,
    });
  const ids = new Map<string, number>();
  const createTeam = async (
    organization: string,
    team: { name: string; units_map: object },
    members: readonly string[],
  ) => {
    await api('POST', `orgs/${organization}/teams`, {
      permission: 'write',
      includes_all_repositories: false,
      ...team,
    });
    const { data } = (await api(
      'GET',
      `orgs/${organization}/teams/search?q=${encodeURIComponent(team.name)}`,
    )) as {
      data: { id: number; name: string }[];
    };
    const { id } = data.find(({ name }) => name === team.name) as { id: number };
    ids.set(team.name, id);
    for (const member of members) {
      await createUser(member);
      await api('PUT', `teams/${id}/members/${member}`);
    }
    return id;
  };

  const units = { 'repo.code': 'write', 'repo.actions': 'none' };
  await createUser('nora');
  await createUser(FOREIGN.member);
  await api('POST', 'orgs', { username: FOREIGN.organization }, FOREIGN.member);
  await createTeam(
    FOREIGN.organization,
    { name: 'curators', units_map: { ...units, 'repo.actions': 'write' } },
    [FOREIGN.member],
  );

  await api('POST', 'orgs', { username: ORGANIZATION });
  for (const { name, units: units_map, members, ...rest } of teams) {
    await createTeam(ORGANIZATION, { name, units_map, ...rest }, members);
  }
  for (const [name, isPrivate] of [
    ['records', true],
    ['open', false],
  ] as const) {
    await api('POST', `orgs/${ORGANIZATION}/repos`, { name, private: isPrivate, auto_init: true });
    await api('PATCH', `repos/${ORGANIZATION}/${name}`, { private: isPrivate });
  }
  for (const team of repositoryTeams)
    await api('PUT', `teams/${ids.get(team)}/repos/${ORGANIZATION}/records`);
  await api('PUT', `teams/${ids.get('curators')}/repos/${ORGANIZATION}/open`);

  if (!(await exists(api, `orgs/${RENAMED.organization}`))) {
    await api('POST', 'orgs', { username: RENAMED.before });
    await api('POST', `orgs/${RENAMED.before}/rename`, { new_name: RENAMED.organization });
  }
  await createTeam(RENAMED.organization, { name: 'renamers', units_map: units }, [RENAMED.member]);

  await api('POST', 'orgs', { username: CROWDED.organization });
  for (let number = 1; number <= CROWDED.teams; number++) {
    const team = { name: teamOfCrowded(number), units_map: { 'repo.code': 'read', 'repo.actions': 'none' } };
    await createTeam(CROWDED.organization, team, [CROWDED.member]);
  }
  return ids;
}

async function exists(api: Api, path: string): Promise<boolean> {
  return api('GET', path).then(
    () => true,
    () => false,
  );
}

/** Stands between the service and the forge, and writes down what it passes on, without the tokens. */
async function startRecorder(url: string, tokens: ReadonlyMap<string, string>, file: string) {
  const holders = new Map([...tokens].map(([holder, token]) => [`token ${token}`, holder]));
  const answers: RecordedAnswer[] = [];
  let scene = '';
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const authorization = request.headers.authorization ?? '';
    const path = (request.url ?? '').replace('/api/v1/', '');
    const answer = await fetch(`${url}/${path}`, { headers: { authorization }, redirect: 'manual' });
    const text = (await answer.text()).replaceAll(new URL(url).origin, RECORDED_ORIGIN);
    const headers = Object.fromEntries(
      RECORDED_HEADERS.flatMap((name) => {
        const value = answer.headers.get(name)?.replaceAll(new URL(url).origin, RECORDED_ORIGIN);
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const json = headers['content-type']?.startsWith('application/json');
    const record = {
      scene,
      holder: holders.get(authorization) ?? 'a stranger',
      path,
      status: answer.status,
      headers,
    };
    answers.push({ ...record, body: json ? JSON.parse(text) : text });
    response.writeHead(answer.status, headers).end(text);
  };
  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    enter: (name: string) => {
      scene = name;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      const distinct = new Map(
        answers.map((answer) => [[answer.scene, answer.holder, answer.path].join('\n'), answer]),
      );
      writeFileSync(
        file,
        `[\n${[...distinct.values()].map((answer) => JSON.stringify(answer)).join(',\n')}\n]\n`,
      );
    },
  };
}
