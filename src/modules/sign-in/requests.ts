/** Requests for access: someone who has signed in and may do nothing in a collection asks those who decide. */
import { userIdSchema } from '../../core/access/config-tokens.ts';
import { bodyOf, countSchema, objectOf, type Shape, textOrNull, textSchema } from '../../core/shapes.ts';
import type { Database } from '../../core/storage/database.ts';
import type { Reader } from '../../core/storage/reader.ts';
import { PERSON_COLUMNS, type PersonRow, personOf, requireRow } from './people.ts';

export const newRequestSchema = bodyOf({
  message: { ...userIdSchema, maxLength: 1000, description: 'What the person wants to do.' },
});

export const accessRequestSchema = objectOf({
  id: countSchema,
  source: textSchema,
  subject: textSchema,
  name: textSchema,
  email: textOrNull,
  message: textSchema,
  created: textSchema,
});
type AccessRequest = Shape<typeof accessRequestSchema>;

const MOST_LISTED = 1000;

/** Asks for access, in place of a former request of the person. */
export async function askForAccess(
  database: Pick<Database, 'transact'>,
  collection: string,
  person: number,
  message: string,
): Promise<void> {
  await database.transact(async (draft) => {
    draft.run(
      `INSERT INTO accession_access_request (collection, person, message, created) VALUES ($1, $2, $3, $4)
       ON CONFLICT (collection, person) DO UPDATE SET message = excluded.message, created = excluded.created`,
      [collection, person, message, Date.now()],
    );
  });
}

/** The open requests of a collection, oldest first. */
export async function listRequests(
  reader: Pick<Reader, 'tuples'>,
  collection: string,
): Promise<AccessRequest[]> {
  type Row = readonly [...PersonRow, id: number, message: string, created: number];
  const rows = await reader.tuples<Row>(
    `SELECT ${PERSON_COLUMNS}, r.id, r.message, r.created
     FROM accession_access_request r JOIN accession_person p ON p.id = r.person
     WHERE r.collection = $1 AND p.blocked IS NULL ORDER BY r.id LIMIT ${MOST_LISTED}`,
    [collection],
  );
  return rows.map((row) => {
    const { source, subject, claims } = personOf(row.slice(0, 9) as unknown as PersonRow);
    const { name, email = null } = claims;
    return {
      id: row[9],
      source,
      subject,
      name,
      email,
      message: row[10],
      created: new Date(row[11]).toISOString(),
    };
  });
}

/** Removes a request that is not granted. @throws ServiceError `access_unknown` */
export async function removeRequest(
  database: Pick<Database, 'transact'>,
  collection: string,
  id: number,
): Promise<void> {
  await database.transact(async (draft) => {
    await requireRow(draft, 'accession_access_request', id, 'request', 'collection', collection);
    draft.run('DELETE FROM accession_access_request WHERE id = $1', [id]);
  });
}
