/** Personal tokens: for scripts of a person, who makes and ends them. They never permit more than the person may at the time. */
import { newSecret, sha256, userIdSchema } from '../../core/access/config-tokens.ts';
import { type TokenMode, tokenModes } from '../../core/access/modes.ts';
import { ServiceError } from '../../core/errors.ts';
import { refusal } from '../../core/json-schema.ts';
import {
  bodyOf,
  countSchema,
  objectOf,
  orNull,
  type Shape,
  textOrNull,
  textSchema,
} from '../../core/shapes.ts';
import type { Database } from '../../core/storage/database.ts';
import type { Reader } from '../../core/storage/reader.ts';
import { mayHaveLeft, PERSON_COLUMNS, type PersonRow, requireRow } from './people.ts';
import { TIMES } from './times.ts';

/** Personal tokens begin so. */
export const PERSONAL = 'personal_';
const MOST_TOKENS = 100;
const USUAL_DAYS = 90;

const modesSchema = {
  type: 'object',
  additionalProperties: { type: 'string', enum: tokenModes },
} as const;
const name = {
  ...userIdSchema,
  minLength: 1,
  maxLength: 100,
  description: 'What the token is for.',
} as const;
const collections = {
  ...orNull(modesSchema),
  description: 'Collection → the most that the token permits there; null for all that the person may.',
} as const;

export const newTokenSchema = bodyOf(
  { name },
  {
    collections,
    days: { type: 'integer', minimum: 1, maximum: 366, description: 'Until it ends. Default: 90.' },
  },
);
export const personalTokenSchema = objectOf({
  id: countSchema,
  name,
  collections,
  created: textSchema,
  used: { ...textOrNull, description: 'Its last use, to the minute.' },
  ends: textSchema,
});
type PersonalToken = Shape<typeof personalTokenSchema>;

type Limits = Readonly<Record<string, TokenMode>>;
type Row = readonly [
  id: number,
  name: string,
  collections: string | null,
  created: number,
  used: number | null,
  ends: number,
];
const COLUMNS = 'id, name, collections, created, used, ends';

function tokenOf([id, name, collections, created, used, ends]: Row): PersonalToken {
  return {
    id,
    name,
    collections: collections === null ? null : (JSON.parse(collections) as Limits),
    created: new Date(created).toISOString(),
    used: used === null ? null : `${new Date(used).toISOString().slice(0, 16)}:00Z`,
    ends: new Date(ends).toISOString(),
  };
}

export async function listPersonalTokens(
  reader: Pick<Reader, 'tuples'>,
  person: number,
): Promise<PersonalToken[]> {
  const rows = await reader.tuples<Row>(
    `SELECT ${COLUMNS} FROM accession_personal_token WHERE person = $1 AND ends > $2 ORDER BY id DESC`,
    [person, Date.now()],
  );
  return rows.map(tokenOf);
}

/** Makes a token. @returns it with its secret, which is not kept @throws ServiceError `payload_invalid` for one too many */
export async function makePersonalToken(
  database: Database,
  person: number,
  { name, collections = null, days = USUAL_DAYS }: Shape<typeof newTokenSchema>,
): Promise<PersonalToken & { readonly representation: string }> {
  const representation = PERSONAL + newSecret();
  const now = Date.now();
  const ends = now + Math.min(days * (TIMES.personalToken / 366), TIMES.personalToken);
  await database.transact(async (draft) => {
    const rows = await draft.tuples<[ends: number]>(
      'SELECT ends FROM accession_personal_token WHERE person = $1',
      [person],
    );
    const present = rows.filter(([end]) => end > now).length;
    // Those that have ended are kept, but not in any number.
    if (rows.length >= MOST_TOKENS)
      draft.run('DELETE FROM accession_personal_token WHERE person = $1 AND ends <= $2', [person, now]);
    if (present >= MOST_TOKENS) {
      const msg = `expected at most ${MOST_TOKENS} personal tokens, and there are ${present}: end some`;
      throw refusal('payload_invalid', [{ type: 'too_many', loc: ['body'], msg }]);
    }
    draft.run(
      `INSERT INTO accession_personal_token (hash, person, name, collections, created, ends) VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        sha256(representation),
        person,
        name,
        collections === null ? null : JSON.stringify(collections),
        now,
        ends,
      ],
    );
  });
  const [row] = await database.tuples<Row>(
    `SELECT ${COLUMNS} FROM accession_personal_token WHERE hash = $1`,
    [sha256(representation)],
  );
  if (!row) throw new ServiceError('access_unknown', 'The token was ended at once.');
  return { ...tokenOf(row), representation };
}

/** @throws ServiceError `access_unknown` */
export async function endPersonalToken(database: Database, person: number, id: number): Promise<void> {
  await database.transact(async (draft) => {
    await requireRow(draft, 'accession_personal_token', id, 'personal token', 'person', person);
    draft.run('DELETE FROM accession_personal_token WHERE id = $1', [id]);
  });
}

type PersonalRow = readonly [...PersonRow, token: number, collections: string | null, ends: number];

/** A personal token with its person; undefined if it has ended, its person is blocked, or has not signed in for so long that they may have left. */
export async function personalRow(
  reader: Pick<Reader, 'tuples'>,
  token: string,
): Promise<PersonalRow | undefined> {
  const [row] = await reader.tuples<PersonalRow>(
    `SELECT ${PERSON_COLUMNS}, t.id, t.collections, t.ends
     FROM accession_personal_token t JOIN accession_person p ON p.id = t.person WHERE t.hash = $1`,
    [sha256(token)],
  );
  return row && row[11] > Date.now() && !mayHaveLeft(row) && row[7] === null ? row : undefined;
}
