/**
 * What tokens of a forge are granted, case by case: run against the double in every test run, and against a real
 * forge where there is one, so that both are held to the same.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Forges } from '../../src/core/access/forge-client.ts';
import { type ForgeSourceConfig, forgeTokens } from '../../src/core/access/forge-tokens.ts';
import type { Grant, TokenSource } from '../../src/core/access/grant.ts';

/** A forge to run the cases against. */
export type TestForge = {
  readonly url: string;
  token(holder: string): string;
  /** Brings about one of {@link scenes}. */
  enter(scene: string): Promise<void> | void;
};

/** What happens to the holders during the cases. */
export const scenes = {
  revoked: "the token of 'rosa' is revoked",
  removed: "'tess' is removed from the team",
  deleted: "the team of 'dora' is deleted",
};

export const ORGANIZATION = 'data_handling';

/** Who belongs to which team of {@link ORGANIZATION}, with which units; `permission` is that of the whole team. */
export const teams = [
  { name: 'readers', units: { 'repo.code': 'read', 'repo.actions': 'none' }, members: ['rita'] },
  {
    name: 'writers',
    units: { 'repo.code': 'write', 'repo.actions': 'none' },
    members: ['walt', 'rosa', 'tess'],
  },
  { name: 'curators', units: { 'repo.code': 'write', 'repo.actions': 'write' }, members: ['carl'] },
  { name: 'watchers', units: { 'repo.code': 'none', 'repo.actions': 'read' }, members: ['vera'] },
  { name: 'only-code', units: { 'repo.code': 'write' }, members: ['otto'] },
  { name: 'short-lived', units: { 'repo.code': 'read', 'repo.actions': 'none' }, members: ['dora'] },
  { name: 'admins', permission: 'admin', units: {}, members: ['alma'] },
] as const;

/** Teams that see the repository `records`; it is private. */
export const repositoryTeams = ['writers', 'curators'];

/** Holders whose token lacks a scope, and the scopes that it has. All others have {@link ALL_SCOPES}. */
export const ALL_SCOPES = ['read:user', 'read:organization', 'read:repository'];
export const scopedTokens: Readonly<Record<string, readonly string[]>> = {
  'walt without user scope': ['read:organization', 'read:repository'],
  'walt without organization scope': ['read:user', 'read:repository'],
  'walt without repository scope': ['read:user', 'read:organization'],
};

/** An organisation with so many teams that their list has several pages; `mona` is in the last. */
export const CROWDED = { organization: 'crowded', teams: 64, member: 'mona' };
/** Another's organisation, which has a team `curators` too: `eve` founded it. */
export const FOREIGN = { organization: 'foreign', member: 'eve' };
/** Was called {@link RENAMED}.before. */
export const RENAMED = { before: 'former_name', organization: 'present_name', member: 'rene' };

export const teamOfCrowded = (number: number) => `group-${String(number).padStart(2, '0')}`;

type Case = {
  readonly name: string;
  readonly holder: string;
  readonly source?: Partial<ForgeSourceConfig>;
  /** User ID, permissions as letters (read curated, read zone, write zone, curate), end of the label; or the reason. */
  readonly expected: readonly [string, string, string] | string;
};

const cases: readonly Case[] = [
  {
    name: 'repo.code read reads the curated area and the zone',
    holder: 'rita',
    source: { team: 'readers' },
    expected: ['rita@example.org', 'rz..', 'team-data_handling-readers'],
  },
  {
    name: 'repo.code write also writes the zone',
    holder: 'walt',
    expected: ['walt@example.org', 'rzw.', 'team-data_handling-writers'],
  },
  {
    name: 'repo.actions write makes a curator',
    holder: 'carl',
    source: { team: 'curators' },
    expected: ['carl@example.org', 'rzwc', 'team-data_handling-curators'],
  },
  {
    name: 'a team of administrators curates',
    holder: 'alma',
    source: { team: 'admins' },
    expected: ['alma@example.org', 'rzwc', 'team-data_handling-admins'],
  },
  {
    name: 'a team without access to code is accepted, without any permission',
    holder: 'vera',
    source: { team: 'watchers' },
    expected: ['vera@example.org', '....', 'team-data_handling-watchers'],
  },
  {
    name: 'label type user gives each member a zone',
    holder: 'walt',
    source: { label_type: 'user' },
    expected: ['walt@example.org', 'rzw.', 'user-walt'],
  },
  {
    name: 'the spelling of the organisation in labels is that of the forge',
    holder: 'walt',
    source: { organization: 'Data_Handling' },
    expected: ['walt@example.org', 'rzw.', 'team-data_handling-writers'],
  },
  {
    name: 'an organisation is found under its former name',
    holder: 'rene',
    source: { organization: RENAMED.before, team: 'renamers' },
    expected: ['rene@example.org', 'rzw.', 'team-present_name-renamers'],
  },
  {
    name: 'a team on a late page of the list is found',
    holder: 'mona',
    source: { organization: 'crowded', team: teamOfCrowded(CROWDED.teams) },
    expected: ['mona@example.org', 'rz..', `team-crowded-${teamOfCrowded(CROWDED.teams)}`],
  },
  {
    name: 'a repository that the team sees',
    holder: 'walt',
    source: { repository: 'records' },
    expected: ['walt@example.org', 'rzw.', 'team-data_handling-writers'],
  },
  {
    name: 'a repository that the team does not see',
    holder: 'rita',
    source: { team: 'readers', repository: 'open' },
    expected: "team 'readers' has no access to repository 'data_handling/open'",
  },
  {
    name: 'a repository that the user does not see',
    holder: 'rita',
    source: { team: 'readers', repository: 'records' },
    expected: 'repos/data_handling/records/teams was answered with 404',
  },
  {
    name: 'a stranger',
    holder: 'nora',
    expected: "the user is not in team 'writers' of organization 'data_handling'",
  },
  {
    name: 'a member of another team',
    holder: 'rita',
    expected: "the user is not in team 'writers' of organization 'data_handling'",
  },
  {
    name: "a member of another organisation's team of the same name",
    holder: 'eve',
    source: { team: 'curators', repository: 'open' },
    expected: "the user is not in team 'curators' of organization 'data_handling'",
  },
  {
    name: 'an organisation that does not exist',
    holder: 'walt',
    source: { organization: 'nowhere' },
    expected: 'orgs/nowhere/teams was answered with 404',
  },
  {
    name: 'a team without the unit repo.actions',
    holder: 'otto',
    source: { team: 'only-code' },
    expected: "team 'only-code' of organization 'data_handling' has no unit 'repo.actions'",
  },
  {
    name: 'a token without the scope for users',
    holder: 'walt without user scope',
    expected: 'user/teams was answered with 403',
  },
  {
    name: 'a token without the scope for organisations',
    holder: 'walt without organization scope',
    expected: 'orgs/data_handling/teams was answered with 403',
  },
  {
    name: 'a token without the scope for repositories, where none is configured',
    holder: 'walt without repository scope',
    expected: ['walt@example.org', 'rzw.', 'team-data_handling-writers'],
  },
  {
    name: 'a token without the scope for repositories, where one is configured',
    holder: 'walt without repository scope',
    source: { repository: 'records' },
    expected: 'repos/data_handling/records/teams was answered with 403',
  },
  {
    name: 'a token that the forge does not know',
    holder: 'a stranger',
    expected: 'user/teams was answered with 401 (invalid username, password or token)',
  },
];

/** Declares every case; the forge is asked for when a case runs, since it has to be started first. */
export function runForgeCases(forgeOf: () => TestForge): void {
  for (const { name, holder, source = {}, expected } of cases) {
    test(name, async () => {
      const forge = forgeOf();
      const answer = await openForgeSource(forge.url, source).authenticate(forge.token(holder));
      if (typeof expected === 'string') {
        assert.ok('reason' in answer, 'it was accepted');
        assert.ok(answer.reason.startsWith(expected), answer.reason);
        assert.ok(!answer.reason.includes(forge.token(holder)), answer.reason);
      } else {
        assert.ok('grant' in answer, 'reason' in answer ? answer.reason : '');
        const instance = createHash('md5').update(forge.url).digest('hex');
        const [userId, permissions, label] = expected;
        assert.deepEqual(summary(answer.grant), [userId, permissions, `forgejo-${instance}-${label}`]);
      }
    });
  }

  const transitions = [
    { scene: scenes.revoked, holder: 'rosa', team: 'writers', reason: 'user/teams was answered with 401' },
    { scene: scenes.removed, holder: 'tess', team: 'writers', reason: "the user is not in team 'writers'" },
    {
      scene: scenes.deleted,
      holder: 'dora',
      team: 'short-lived',
      reason: "the user is not in team 'short-lived'",
    },
  ];
  for (const { scene, holder, team, reason } of transitions) {
    test(`when ${scene}, that shows within two minutes and not before one`, async () => {
      const forge = forgeOf();
      const clock = { time: 1, now: () => clock.time };
      const source = openForgeSource(forge.url, { team }, new Forges({ clock }));
      const seen = async () => {
        const answer = await source.authenticate(forge.token(holder));
        return 'grant' in answer ? answer.grant.userId : answer.reason;
      };
      assert.equal(await seen(), `${holder}@example.org`);
      await forge.enter(scene);
      clock.time += 60_000;
      assert.equal(await seen(), `${holder}@example.org`);
      clock.time += 60_001;
      assert.ok((await seen()).startsWith(reason), await seen());
    });
  }
}

export function openForgeSource(
  url: string,
  overrides: Partial<ForgeSourceConfig> = {},
  forges = new Forges(),
): TokenSource {
  const config = {
    type: 'forge',
    url,
    organization: ORGANIZATION,
    team: 'writers',
    label_type: 'team',
  } as const;
  return forgeTokens({ ...config, ...overrides }, forges);
}

/** User ID, permissions as letters, label. */
export function summary({ userId, permissions, label }: Grant): [string, string, string | undefined] {
  const { readCurated, readZone, writeZone, curate } = permissions;
  const letters = [readCurated && 'r', readZone && 'z', writeZone && 'w', curate && 'c'];
  return [userId, letters.map((letter) => letter || '.').join(''), label];
}
