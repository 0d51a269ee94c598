/**
 * The source of type `forge`: tokens of a Forgejo or Gitea instance (specification 5, item 3).
 *
 * A token is accepted when its user is a member of the configured team, and, if a repository is configured, the
 * team has access to that. The units of the team say what it may do. Calls, and how long their answers are
 * remembered:
 *
 * | call | for | seconds |
 * |---|---|---|
 * | `user/teams` | membership | 120 |
 * | `user` | user ID and login | 120 |
 * | `orgs/<organization>/teams` or `repos/<organization>/<repository>/teams` | the team's units | 300 |
 * | `orgs/<organization>` | the name in labels of teams | 300 |
 */
import { hash } from 'node:crypto';
import type { Shape } from '../shapes.ts';
import type { ForgeClient, Forges } from './forge-client.ts';
import { ForgeFailure } from './forge-http.ts';
import type { Grant, Permissions, TokenSource } from './grant.ts';

/** The names of the type; configurations of the peer use the second one. */
export const forgeTypes = ['forge', 'forgejo'] as const;

export const forgeSourceSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'url', 'organization', 'team', 'label_type'],
  properties: {
    type: { type: 'string', enum: forgeTypes },
    // The address of the API, `https://<host>/api/v1`.
    url: { type: 'string', pattern: '^https?://[^/@\\s]+(/\\S*)?$' },
    organization: { type: 'string', minLength: 1 },
    team: { type: 'string', minLength: 1 },
    // Whether the members of the team share one incoming zone, or have one each.
    label_type: { type: 'string', enum: ['team', 'user'] },
    // Names the instance in labels; without it they hold a hash of the address.
    instance_id: { type: ['string', 'null'], default: null },
    // When given, the team must have access to this repository of the organization.
    repository: { type: ['string', 'null'], default: null },
  },
} as const;
export type ForgeSourceConfig = Shape<typeof forgeSourceSchema>;

/** Matches tokens of a forge. Anything else is refused without a call, and must not get into a header. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;
/** Matches characters that a zone's name, which is the name of a folder, cannot have. */
const NOT_IN_LABEL = /[/\\\x00-\x1f]/;

const USER_SECONDS = 120;
const ORGANIZATION_SECONDS = 300;

type User = { readonly login: string; readonly email: string };
type Team = { readonly id: unknown; readonly name: string; readonly units: Readonly<Record<string, string>> };

/** The source that an entry describes. It asks through the client of its address, which all sources there share. */
export function forgeTokens(config: ForgeSourceConfig, forges: Forges): TokenSource {
  const client = forges.at(config.url);
  return {
    name: `forge ${client.url}`,
    async authenticate(token) {
      if (!TOKEN.test(token)) return { reason: 'not a token of a forge' };
      try {
        return { grant: await grantOf(config, client, token) };
      } catch (error) {
        if (error instanceof ForgeFailure) return { reason: error.reason };
        throw error;
      }
    },
  };
}

/** @throws ForgeFailure */
async function grantOf(config: ForgeSourceConfig, client: ForgeClient, token: string): Promise<Grant> {
  const { organization, team: name, repository } = config;
  const memberships = (await client.all(token, 'user/teams', USER_SECONDS, readTeam)).filter(teamNamed(name));
  const notMember = `the user is not in team '${name}' of organization '${organization}'`;
  if (memberships.length === 0) throw new ForgeFailure(notMember);

  const ofOrganization = `orgs/${encodeURIComponent(organization)}`;
  const teamsPath = repository
    ? `repos/${encodeURIComponent(organization)}/${encodeURIComponent(repository)}/teams`
    : `${ofOrganization}/teams`;
  // Asked at once, awaited in this order, so that the reason does not depend on which answer is in first. The client
  // has a handler on each, so that none is an unhandled rejection.
  const teamsAnswer = client.all(token, teamsPath, ORGANIZATION_SECONDS, readTeam);
  const userAnswer = client.one(token, 'user', USER_SECONDS, readUser);
  // Names are not case-sensitive on forges, labels are: the forge's spelling is used.
  const nameAnswer =
    config.label_type === 'team'
      ? client.one(token, ofOrganization, ORGANIZATION_SECONDS, (answer) => textMember(answer, 'name'))
      : undefined;
  const [teams, user, organizationName] = [await teamsAnswer, await userAnswer, await nameAnswer];

  const team = teams.find(teamNamed(name));
  if (!team) {
    throw new ForgeFailure(
      repository
        ? `team '${name}' has no access to repository '${organization}/${repository}'`
        : `organization '${organization}' has no team '${name}'`,
    );
  }
  // Anyone can found an organization with a team of the same name, so teams are compared by ID.
  if (!memberships.some(({ id }) => id === team.id)) throw new ForgeFailure(notMember);

  const instance = config.instance_id || hash('md5', client.url, 'hex');
  const owner = organizationName ? `team-${organizationName}-${team.name}` : `user-${user.login}`;
  const label = `forgejo-${instance}-${owner}`;
  if (NOT_IN_LABEL.test(label)) throw new ForgeFailure(`'${label}' can't name an incoming zone`);
  // The peer is written in Python, where a missing name reads None.
  const source = `forgejo_${config.instance_id ?? 'None'}`;
  return { source, userId: user.email, label, permissions: permissionsOf(team, organization) };
}

/** Access levels of units, lowest first; teams of administrators and owners have the last two on every unit. */
const FORGE_LEVELS = ['none', 'read', 'write', 'admin', 'owner'];

/** `repo.code` is for the ways of a user, `repo.actions` at `write` for curation. */
function permissionsOf(team: Team, organization: string): Permissions {
  const has = (unit: string, level: string) => {
    const held = team.units[unit];
    if (held === undefined) {
      throw new ForgeFailure(`team '${team.name}' of organization '${organization}' has no unit '${unit}'`);
    }
    return FORGE_LEVELS.indexOf(held) >= FORGE_LEVELS.indexOf(level);
  };
  const curate = has('repo.actions', 'write');
  const write = has('repo.code', 'write') || curate;
  const read = has('repo.code', 'read') || curate;
  return { readCurated: read, readZone: read, writeZone: write, curate };
}

function teamNamed(name: string): (team: Team) => boolean {
  return (team) => team.name === name;
}

function readUser(answer: unknown): User {
  return { login: textMember(answer, 'login'), email: textMember(answer, 'email') };
}

function readTeam(answer: unknown): Team {
  const name = textMember(answer, 'name');
  const { id, units_map: units } = answer as { id?: unknown; units_map?: Record<string, string> | null };
  return { id, name, units: units ?? {} };
}

/** @throws Error if the string is missing, as {@link ForgeClient} expects of functions that read an answer */
function textMember(answer: unknown, key: string): string {
  const value = (answer as Record<string, unknown> | null)?.[key];
  if (typeof value !== 'string' || value === '' || value.includes('\0')) throw new Error(`it has no ${key}`);
  return value;
}
