/**
 * Invitations: a secret that one person exchanges for a token, once, until a time. The database has the hash of the secret; the
 * token is made at the exchange, with another secret. Rows stay, and say who invited whom and what became of it.
 */
import { endOf, newSecret, sha256, type TokenConfig, userIdSchema } from '../../core/access/config-tokens.ts';
import { tokenModes } from '../../core/access/modes.ts';
import { putToken } from '../../core/config/edit-tokens.ts';
import type { WithName } from '../../core/config/parse.ts';
import type { ConfigurationState } from '../../core/config/state.ts';
import { DAY } from '../../core/durations.ts';
import { ServiceError } from '../../core/errors.ts';
import { refusal } from '../../core/json-schema.ts';
import { bodyOf, countSchema, objectOf, type Shape, textOrNull, textSchema } from '../../core/shapes.ts';
import type { Database, Draft } from '../../core/storage/database.ts';
import type { Reader } from '../../core/storage/reader.ts';
import type { RecordStore } from '../../core/storage/store.ts';
import type {} from './codes.ts';

const grantedTo = {
  name: { ...textSchema, description: 'The name of the token.' },
  user_id: { ...userIdSchema, description: 'Who the person is in histories.' },
  mode: { enum: tokenModes, description: 'What the token permits in the collection.' },
} as const;
const incoming_label = {
  ...textSchema,
  description: 'The zone of the token, if the mode needs one.',
} as const;

/** Whom an administrator invites. */
export const inviteSchema = bodyOf(grantedTo, {
  incoming_label: { ...incoming_label, default: '' },
  expires: { ...textSchema, description: 'Until when the token is accepted; default: forever.' },
  until: {
    ...textSchema,
    description:
      'The last day or the time until which the invitation can be accepted; default: 7 days from now, at most 90.',
  },
});
/** The token that an invitation is exchanged for. `incoming_label` is empty for none. */
type InvitedToken = Omit<Required<Shape<typeof inviteSchema>>, 'expires' | 'until'> & {
  readonly expires?: string | undefined;
};

export const invitationSchema = objectOf({
  id: countSchema,
  ...grantedTo,
  incoming_label,
  expires: { ...textOrNull, description: 'Until when the token is accepted; null: forever.' },
  until: { ...textSchema, description: 'Until when the invitation can be accepted.' },
  created: textSchema,
  by: { ...textSchema, description: 'The admin token that made it.' },
  state: { enum: ['open', 'accepted', 'revoked', 'expired'] },
  ended: { ...textOrNull, description: 'When it was accepted or revoked.' },
  ended_by: { ...textOrNull, description: 'The user that accepted it, or the admin token that revoked it.' },
});
type Invitation = Shape<typeof invitationSchema>;

/** The collection of an invitation, and where both are kept. */
type InvitationsOf = {
  readonly name: string;
  readonly database: Pick<Database, 'tuples' | 'transact'>;
  readonly curated: Pick<RecordStore, 'area'>;
};

const USUAL_DAYS = 7;
const MOST_DAYS = 90;
const MOST_LISTED = 1000;

type Row = readonly [
  id: number,
  json: string,
  author: string,
  created: number,
  until: number,
  state: 'open' | 'accepted' | 'revoked',
  ended: number | null,
  endedBy: string | null,
];

const COLUMNS = 'id, json, author, created, until, state, ended, ended_by';
const IS_OF = 'area = $1 AND collection = $2';
const END = `UPDATE accession_invitation SET state = $2, ended = $3, ended_by = $4 WHERE id = $1`;

const key = ({ curated, name }: InvitationsOf) => [curated.area.id, name] as const;
const isoTime = (time: number): string => new Date(time).toISOString();

function invitationOf([id, json, by, created, until, state, ended, endedBy]: Row): Invitation {
  const invited = JSON.parse(json) as InvitedToken;
  return {
    id,
    ...invited,
    expires: invited.expires ?? null,
    by,
    until: isoTime(until),
    created: isoTime(created),
    state: state === 'open' && until <= Date.now() ? 'expired' : state,
    ended: ended === null ? null : isoTime(ended),
    ended_by: endedBy,
  };
}

/** The invitations to a collection, newest first. */
export async function listInvitations(of: InvitationsOf): Promise<Invitation[]> {
  const sql = `SELECT ${COLUMNS} FROM accession_invitation WHERE ${IS_OF} ORDER BY id DESC LIMIT ${MOST_LISTED}`;
  return (await of.database.tuples<Row>(sql, [...key(of)])).map(invitationOf);
}

/** Whose configuration gets the tokens. */
type WithState = { readonly state: ConfigurationState };

/**
 * Makes an invitation.
 *
 * @param until a day, which is included, or a time; by default in 7 days
 * @param by the name of an admin token
 * @returns the invitation and its secret, which is not kept
 * @throws ServiceError `payload_invalid`, `name_taken`, and what else is in the way of such a token
 */
export async function invite(
  { state }: WithState,
  of: InvitationsOf,
  invited: InvitedToken,
  until: string | undefined,
  by: string,
): Promise<Invitation & { readonly secret: string }> {
  const now = Date.now();
  const end = until === undefined ? now + USUAL_DAYS * DAY : endOf(until);
  if (!(end > now && end <= now + (MOST_DAYS + 1) * DAY)) {
    const msg = `expected a day or a time within the next ${MOST_DAYS} days, found '${until}'`;
    throw refusal('payload_invalid', [{ type: 'value_error', loc: ['body', 'until'], msg }]);
  }
  putToken(state.configuration, tokenFor(of, invited), 'create');
  const secret = newSecret();
  await of.database.transact(async (draft) => {
    const open = await draft.tuples<Row>(
      `SELECT ${COLUMNS} FROM accession_invitation WHERE ${IS_OF} AND state = 'open'`,
      [...key(of)],
    );
    if (open.map(invitationOf).some(({ name, state }) => name === invited.name && state === 'open'))
      throw new ServiceError('name_taken', `An open invitation is for the token '${invited.name}'.`);
    draft.run(
      `INSERT INTO accession_invitation (area, collection, hash, json, author, created, until, state)
       VALUES ($1, $2, $3, $4, $5, $6, $7, 'open')`,
      [...key(of), sha256(secret), JSON.stringify(invited), by, now, end],
    );
  });
  return { ...(await openInvitation(of.database, of, secret)), secret };
}

/** Makes an open invitation useless. @throws ServiceError `invitation_unknown` */
export async function revokeInvitation(of: InvitationsOf, id: number, by: string): Promise<void> {
  await of.database.transact(async (draft) => {
    const [found] = await draft.tuples(
      `SELECT id FROM accession_invitation WHERE ${IS_OF} AND id = $3 AND state = 'open'`,
      [...key(of), Number.isSafeInteger(id) ? id : 0],
    );
    if (!found)
      throw new ServiceError(
        'invitation_unknown',
        `The collection '${of.name}' has no open invitation ${id}.`,
      );
    draft.run(END, [id, 'revoked', Date.now(), by]);
  });
}

/**
 * Exchanges the secret of an invitation for a token. Token and invitation change in one transaction, so of several requests
 * with the same secret, also to other instances, one gets a token.
 *
 * @returns the token with its secret, which is not shown again
 * @throws ServiceError `invitation_refused`, and what is in the way of the token by now, such as `name_taken`
 */
export async function acceptInvitation(
  { state }: WithState,
  of: InvitationsOf,
  secret: string,
): Promise<WithName<TokenConfig>> {
  const { id, by, ...invited } = await openInvitation(of.database, of, secret);
  try {
    return await state.apply(
      (current) => {
        const { configuration, token } = putToken(current, tokenFor(of, invited), 'create');
        return { configuration, answer: token };
      },
      by,
      async (draft) => {
        await openInvitation(draft, of, secret);
        draft.run(END, [id, 'accepted', Date.now(), invited.user_id]);
      },
    );
  } catch (error) {
    // Another request with the same secret has made the token.
    await openInvitation(of.database, of, secret);
    throw error;
  }
}

/**
 * Accepts an invitation for someone who gets what is offered in another way than by a token.
 *
 * @param who the user id
 * @param also adds to the same transaction
 * @throws ServiceError `invitation_refused`, and what that throws
 */
export async function acceptInvitationAs(
  of: InvitationsOf,
  secret: string,
  who: string,
  also: (draft: Draft, invited: Invitation) => void | Promise<void>,
): Promise<void> {
  await of.database.transact(async (draft) => {
    const invited = await openInvitation(draft, of, secret);
    draft.run(END, [invited.id, 'accepted', Date.now(), who]);
    await also(draft, invited);
  });
}

/** The invitation of a secret, while it is open. @throws ServiceError `invitation_refused` */
export async function openInvitation(
  reader: Pick<Reader, 'tuples'>,
  of: InvitationsOf,
  secret: string,
): Promise<Invitation> {
  const sql = `SELECT ${COLUMNS} FROM accession_invitation WHERE ${IS_OF} AND hash = $3`;
  const [row] = await reader.tuples<Row>(sql, [...key(of), sha256(secret)]);
  const found = row && invitationOf(row);
  if (found?.state === 'open') return found;
  const why = found === undefined ? 'does not exist' : `is ${found.state}`;
  throw new ServiceError('invitation_refused', `The invitation ${why}. Ask for another one.`);
}

function tokenFor(
  { name: collection }: InvitationsOf,
  {
    name,
    user_id,
    mode,
    incoming_label,
    expires,
  }: Omit<InvitedToken, 'expires'> & { expires?: string | null | undefined },
): WithName<TokenConfig> {
  return {
    name,
    user_id,
    hashed: true,
    representation: '',
    collections: { [collection]: { mode, incoming_label } },
    ...(expires && { expires }),
  };
}
