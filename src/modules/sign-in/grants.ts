/** What a person may do in a collection: by the groups of the source, by a grant to the identity, or as everyone who signs in. */
import { endOf, momentSchema, userIdSchema } from '../../core/access/config-tokens.ts';
import { type Grant, MOST_CURATORS, type Permissions } from '../../core/access/grant.ts';
import { permissionsOfMode, type TokenMode, tokenModes } from '../../core/access/modes.ts';
import { labelProblem } from '../../core/config/paths.ts';
import { ServiceError } from '../../core/errors.ts';
import { refusal } from '../../core/json-schema.ts';
import { bodyOf, countSchema, objectOf, type Shape, textOrNull, textSchema } from '../../core/shapes.ts';
import type { Database, Draft } from '../../core/storage/database.ts';
import type { Reader } from '../../core/storage/reader.ts';
import type {} from '../invitations/codes.ts';
import { type Identity, type KnownPerson, requireRow, userIdOf, zoneOf } from './people.ts';
import { type SignInConfig, sourceKey } from './source-config.ts';

const identity = {
  source: { ...userIdSchema, minLength: 1, maxLength: 40, description: 'The name of the source.' },
  subject: {
    ...userIdSchema,
    minLength: 1,
    maxLength: 1000,
    description: 'What the source knows the person by.',
  },
  name: { ...userIdSchema, maxLength: 255, description: 'What people call the person.' },
  mode: { enum: tokenModes, description: 'What the person may do in the collection.' },
} as const;

/** An identity, which may not have signed in yet. */
export const blockSchema = bodyOf({ source: identity.source, subject: identity.subject });

export const putGrantSchema = bodyOf(identity, {
  incoming_label: { ...textSchema, description: 'The zone of the person; default: one of their own.' },
  expires: { ...momentSchema, description: 'Until when: a day or a time; default: forever.' },
});
type PutGrant = Shape<typeof putGrantSchema>;

export const grantSchema = objectOf({
  id: countSchema,
  ...identity,
  incoming_label: { ...textSchema, description: 'The zone of the person; empty: one of their own.' },
  expires: textOrNull,
  by: { ...textSchema, description: 'Who has granted it.' },
  created: textSchema,
});
type IdentityGrant = Shape<typeof grantSchema>;

type Row = readonly [
  id: number,
  source: string,
  subject: string,
  name: string,
  mode: TokenMode,
  label: string,
  ends: number | null,
  author: string,
  created: number,
];
const COLUMNS = 'id, source, subject, name, mode, label, ends, author, created';
const MOST_LISTED = 10_000;

const isoTime = (time: number) => new Date(time).toISOString();

function grantOf([id, source, subject, name, mode, incoming_label, ends, by, created]: Row): IdentityGrant {
  return {
    id,
    source,
    subject,
    name,
    mode,
    incoming_label,
    by,
    expires: ends === null ? null : isoTime(ends),
    created: isoTime(created),
  };
}

/** The grants of a collection to identities, by name. */
export async function listGrants(
  reader: Pick<Reader, 'tuples'>,
  collection: string,
): Promise<IdentityGrant[]> {
  const sql = `SELECT ${COLUMNS} FROM accession_identity_grant WHERE collection = $1 ORDER BY name, id LIMIT ${MOST_LISTED}`;
  return (await reader.tuples<Row>(sql, [collection])).map(grantOf);
}

/** Grants a mode to an identity, in place of a former one. @throws ServiceError `payload_invalid` */
export async function putGrant(
  database: Pick<Database, 'transact'>,
  collection: string,
  granted: PutGrant,
  by: string,
): Promise<void> {
  const checked = checkGrant(granted);
  await database.transact(async (draft) => addGrant(draft, collection, checked, by));
}

type CheckedGrant = PutGrant & { readonly ends: number | null };

/** @throws ServiceError `payload_invalid` */
export function checkGrant(granted: PutGrant): CheckedGrant {
  const { incoming_label: label, expires } = granted;
  const problem = label ? labelProblem(label) : undefined;
  const ends = expires === undefined ? null : endOf(expires);
  const wrong = [
    ...(problem ? [['incoming_label', `${JSON.stringify(label)} ${problem}`] as const] : []),
    ...(Number.isNaN(ends)
      ? [['expires', `expected a day or a time in ISO 8601, found '${expires}'`] as const]
      : []),
  ];
  if (wrong.length > 0)
    throw refusal(
      'payload_invalid',
      wrong.map(([key, msg]) => ({ type: 'value_error', loc: ['body', key], msg })),
    );
  return { ...granted, ends };
}

/** @throws ServiceError `invitation_refused` if an identity has a grant in a collection, which an invitation must not make less */
export async function requireNoGrant(
  draft: Pick<Reader, 'tuples'>,
  collection: string,
  identity: Identity,
): Promise<void> {
  const own = (await grantsOf(draft, identity)).find((one) => one.collection === collection);
  if (own)
    throw new ServiceError(
      'invitation_refused',
      `You have ${own.mode} in the collection '${collection}' already. An administrator can change it.`,
    );
}

/** Adds a grant to a transaction, and ends the request of the person for it. */
export function addGrant(
  draft: Pick<Draft, 'run'>,
  collection: string,
  { source, subject, name, mode, incoming_label = '', ends }: CheckedGrant,
  by: string,
): void {
  draft.run(
    `INSERT INTO accession_identity_grant (collection, source, subject, name, mode, label, ends, author, created)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (collection, source, subject) DO UPDATE SET name = excluded.name, mode = excluded.mode,
       label = excluded.label, ends = excluded.ends, author = excluded.author, created = excluded.created`,
    [collection, source, subject, name, mode, incoming_label, ends, by, Date.now()],
  );
  draft.run(
    `DELETE FROM accession_access_request WHERE collection = $1
       AND person IN (SELECT id FROM accession_person WHERE source = $2 AND subject = $3)`,
    [collection, source, subject],
  );
}

/** @throws ServiceError `access_unknown` */
export async function removeGrant(
  database: Pick<Database, 'transact'>,
  collection: string,
  id: number,
): Promise<void> {
  await database.transact(async (draft) => {
    await requireRow(draft, 'accession_identity_grant', id, 'grant', 'collection', collection);
    draft.run('DELETE FROM accession_identity_grant WHERE id = $1', [id]);
  });
}

/** The grants of an identity, by collection. */
export async function grantsOf(
  reader: Pick<Reader, 'tuples'>,
  { source, subject }: Identity,
): Promise<{ readonly collection: string; readonly mode: TokenMode }[]> {
  const sql =
    'SELECT collection, mode FROM accession_identity_grant WHERE source = $1 AND subject = $2 AND (ends IS NULL OR ends > $3)';
  const rows = await reader.tuples<[string, TokenMode]>(sql, [source, subject, Date.now()]);
  return rows.map(([collection, mode]) => ({ collection, mode }));
}

/**
 * What a person may do in a collection. Someone without a grant is known there and may do nothing, so can ask for access.
 *
 * @param config the entry of the collection for the source of the person
 * @param most what a personal token limits it to
 */
export async function grantIn(
  reader: Pick<Reader, 'tuples'>,
  collection: string,
  config: SignInConfig,
  person: KnownPerson,
  most?: TokenMode,
): Promise<Grant> {
  const [row] = await reader.tuples<Row>(
    `SELECT ${COLUMNS} FROM accession_identity_grant WHERE collection = $1 AND source = $2 AND subject = $3
       AND (ends IS NULL OR ends > $4)`,
    [collection, person.source, person.subject, Date.now()],
  );
  const own = row && grantOf(row);
  const modes = [
    ...(own ? [own.mode] : []),
    ...(config.everyone === undefined ? [] : [config.everyone]),
    ...modesOfGroups(config, person.claims.groups),
  ];
  const permissions = limited(together(modes), most);
  const key = sourceKey(config);
  const label = own?.incoming_label || config.label || zoneOf(key, person.subject);
  const hasZone = permissions.readZone || permissions.writeZone;
  const { email } = person.claims;
  return {
    source: key,
    userId: userIdOf(person),
    label: hasZone ? label : undefined,
    permissions,
    ...(email !== undefined && { email }),
  };
}

/**
 * The people of a source who curate a collection now: those of some user ids, or the ones who came last.
 *
 * @param config the entry of the collection for the source
 */
export async function curatorsIn(
  reader: Pick<Database, 'tuples' | 'dialect'>,
  collection: string,
  config: SignInConfig,
  among?: readonly string[],
): Promise<string[]> {
  const byGroups = Object.values(config.groups ?? {}).some((mode) => permissionsOfMode[mode].curate);
  const everyone = config.everyone !== undefined && permissionsOfMode[config.everyone].curate;
  const granted = `EXISTS (SELECT 1 FROM accession_identity_grant g WHERE g.collection = $1 AND g.source = p.source
    AND g.subject = p.subject AND g.mode = 'CURATOR' AND (g.ends IS NULL OR g.ends > $3))`;
  const which = [
    'p.source = $2 AND p.blocked IS NULL',
    ...(among ? [reader.dialect.among('p.user_id', 4)] : []),
    // Without groups that curate, those with a grant are few.
    ...(byGroups || everyone ? [] : [granted]),
  ];
  const rows = await reader.tuples<[userId: string, claims: string, granted: number]>(
    `SELECT p.user_id, p.claims, CASE WHEN ${granted} THEN 1 ELSE 0 END FROM accession_person p
     WHERE ${which.join(' AND ')} ORDER BY p.seen DESC LIMIT ${MOST_CURATORS}`,
    [collection, config.name, Date.now(), ...(among ? [among] : [])],
  );
  const curates = (claims: string) =>
    modesOfGroups(config, (JSON.parse(claims) as KnownPerson['claims']).groups).some(
      (mode) => permissionsOfMode[mode].curate,
    );
  return rows.flatMap(([id, claims, isGranted]) => (isGranted || everyone || curates(claims) ? [id] : []));
}

function modesOfGroups({ groups = {} }: SignInConfig, has: readonly string[]): TokenMode[] {
  return has.flatMap((group) => (Object.hasOwn(groups, group) ? [groups[group]!] : []));
}

/** The permissions of several modes together. */
function together(modes: readonly TokenMode[]): Permissions {
  const all = modes.map((mode) => permissionsOfMode[mode]);
  const some = (name: keyof Permissions) => all.some((one) => one[name]);
  return {
    readCurated: some('readCurated'),
    readZone: some('readZone'),
    writeZone: some('writeZone'),
    curate: some('curate'),
  };
}

function limited(permissions: Permissions, most: TokenMode | undefined): Permissions {
  if (most === undefined) return permissions;
  const limit = permissionsOfMode[most];
  return {
    readCurated: permissions.readCurated && limit.readCurated,
    readZone: permissions.readZone && limit.readZone,
    writeZone: permissions.writeZone && limit.writeZone,
    curate: permissions.curate && limit.curate,
  };
}
