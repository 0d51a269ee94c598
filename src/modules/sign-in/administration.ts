/** The people of a service, for administrators: who they are, by which source, when they were last here, and what they may do. */

import { tokenModes } from '../../core/access/modes.ts';
import { ServiceError } from '../../core/errors.ts';
import {
  countSchema,
  flagSchema,
  listOf,
  objectOf,
  type Shape,
  textOrNull,
  textSchema,
} from '../../core/shapes.ts';
import type { Reader } from '../../core/storage/reader.ts';
import type {} from './codes.ts';
import { grantsOf } from './grants.ts';
import { PERSON_COLUMNS, type PersonRow, personOf } from './people.ts';
import { listPersonalTokens, personalTokenSchema } from './personal-tokens.ts';
import { listSessions } from './sessions.ts';

export const personSchema = objectOf({
  id: countSchema,
  source: textSchema,
  subject: textSchema,
  user_id: { ...textSchema, description: 'How histories name the person.' },
  name: textSchema,
  email: textOrNull,
  orcid: { ...textOrNull, description: 'The ORCID iD as a URL.' },
  groups: listOf(textSchema),
  created: { ...textSchema, description: 'When the person first signed in.' },
  seen: { ...textSchema, description: 'When the person was last here.' },
  blocked: { ...textOrNull, description: 'Since when the identity is blocked.' },
  blocked_by: textOrNull,
});
type ListedPerson = Shape<typeof personSchema>;

export const sessionSchema = objectOf(
  { id: countSchema, created: textSchema, used: textSchema, ends: textSchema },
  { current: { ...flagSchema, description: 'Whether it is the session of the request.' } },
);

export const personDetailSchema = objectOf({
  ...personSchema.properties,
  sessions: listOf(sessionSchema),
  tokens: listOf(personalTokenSchema),
  grants: {
    description: 'What the identity was granted; what groups may do is in the configuration.',
    ...listOf(objectOf({ collection: textSchema, mode: { enum: tokenModes } })),
  },
});
type PersonDetail = Shape<typeof personDetailSchema>;

const isoTime = (time: number) => new Date(time).toISOString();

export function listedPerson(row: PersonRow): ListedPerson {
  const [, , , , , created, seen, blocked, blocked_by] = row;
  const { id, source, subject, claims } = personOf(row);
  const { name, email = null, orcid = null, groups } = claims;
  return {
    id,
    source,
    subject,
    name,
    email,
    orcid,
    groups,
    blocked_by,
    user_id: `${source}:${claims.id}`,
    created: isoTime(created),
    seen: isoTime(seen),
    blocked: blocked === null ? null : isoTime(blocked),
  };
}

const MOST_PEOPLE = 200;

/** Those who were here last, first; a search is in names, addresses and ids, whatever the case of letters. */
export async function listPeople(
  reader: Pick<Reader, 'tuples'>,
  {
    q,
    before = Number.MAX_SAFE_INTEGER,
  }: { readonly q?: string | undefined; readonly before?: number | undefined },
): Promise<{ readonly items: ListedPerson[]; readonly next: number | null }> {
  const found = `%${(q ?? '').toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  const rows = await reader.tuples<PersonRow>(
    `SELECT ${PERSON_COLUMNS} FROM accession_person p
     WHERE p.seen < $2 AND p.words LIKE $1 ESCAPE '\\'
     ORDER BY p.seen DESC LIMIT ${MOST_PEOPLE}`,
    [found, before],
  );
  return { items: rows.map(listedPerson), next: rows.length < MOST_PEOPLE ? null : rows.at(-1)![6] };
}

/** @throws ServiceError `access_unknown` */
export async function readPerson(reader: Pick<Reader, 'tuples'>, id: number): Promise<PersonDetail> {
  const [row] = await reader.tuples<PersonRow>(
    `SELECT ${PERSON_COLUMNS} FROM accession_person p WHERE p.id = $1`,
    [Number.isSafeInteger(id) ? id : 0],
  );
  if (!row) throw new ServiceError('access_unknown', `There is no person ${id}.`);
  const person = personOf(row);
  return {
    ...listedPerson(row),
    sessions: await listSessions(reader, id),
    tokens: await listPersonalTokens(reader, id),
    grants: await grantsOf(reader, person),
  };
}
