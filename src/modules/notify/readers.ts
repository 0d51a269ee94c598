/** Users who get their inbox by mail or as a feed: what they have chosen, and what is known of their addresses. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { newSecret, sha256 } from '../../core/access/config-tokens.ts';
import type { FormerGrant } from '../../core/access/grant.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { DAY, isWithin, KEEP } from '../../core/durations.ts';
import { ServiceError } from '../../core/errors.ts';
import { refusal } from '../../core/json-schema.ts';
import { bodyOf, flagSchema, objectOf, type Shape, textOrNull } from '../../core/shapes.ts';
import type {} from './codes.ts';
import { MAIL_ADDRESS, type SmtpConfig } from './configuration.ts';
import { LANGUAGES, type Language } from './event-texts.ts';
import { MARK_COLUMNS, type Mark, NOTHING, presentMark } from './marks.ts';
import type { InboxOf } from './person.ts';

const MODES = ['none', 'at_once', 'daily'] as const;
type Mode = (typeof MODES)[number];

/** Users of a collection who have asked for mail or a feed, at most. */
const MOST_READERS = 10_000;

export const mailSchema = objectOf({
  mode: { enum: MODES, description: 'When mail is sent; `daily` is one that has all of a day.' },
  language: { enum: LANGUAGES },
  address: { ...textOrNull, description: 'Where it is sent to.' },
  confirmed: {
    ...flagSchema,
    description: 'Whether the link was opened that is sent to the address before anything else is.',
  },
  refused: { ...textOrNull, description: 'Why the address gets no more mail, until it is set again.' },
  proposed: { ...textOrNull, description: 'An address of the user that the source of the token knows.' },
  possible: { ...flagSchema, description: 'Whether the collection sends mail.' },
  feed: { ...flagSchema, description: 'Whether there is a URL of a feed.' },
} as const);
type MailSettings = Shape<typeof mailSchema>;

export const putMailSchema = bodyOf(
  { mode: { enum: MODES } },
  {
    language: { enum: LANGUAGES },
    address: {
      type: 'string',
      pattern: MAIL_ADDRESS,
      description: 'Another address, or the same one to have the link sent again.',
    },
  },
);

/** A user who has asked for mail or a feed. */
export type Reader = {
  readonly id: number;
  readonly userId: string;
  readonly granted: FormerGrant;
  readonly secret: string;
  readonly mode: Mode;
  readonly language: Language;
  readonly address: string | null;
  readonly confirmed: boolean;
  readonly confirming: boolean;
  /** When the link was asked for, in milliseconds since 1970. */
  readonly asked: number;
  /** Events behind it are mailed. */
  readonly mark: Mark;
  /** When the next mail may be sent, in milliseconds since 1970. */
  readonly due: number;
  /** The Message-ID of a mail that is being sent. */
  readonly message: string | null;
  readonly failures: number;
  readonly failing: number | null;
  readonly refused: string | null;
  readonly feed: string | null;
};

type Row = readonly [
  id: number,
  userId: string,
  granted: string,
  secret: string,
  mode: Mode,
  language: Language,
  address: string | null,
  confirmed: number,
  confirming: number,
  asked: number,
  since: number,
  queue: number,
  change: number,
  revision: number,
  due: number,
  message: string | null,
  failures: number,
  failing: number | null,
  refused: string | null,
  feed: string | null,
];
const COLUMNS = `id, user_id, granted, secret, mode, language, address, confirmed, confirming, asked, since, ${MARK_COLUMNS}, due,
  message, failures, failing, refused, feed`;

function readerOf(row: Row): Reader {
  const [id, userId, granted, secret, mode, language, address, confirmed, confirming, asked, ...rest] = row;
  const [until, queue, change, revision, due, message, failures, failing, refused, feed] = rest;
  return {
    id,
    userId,
    secret,
    mode,
    language,
    address,
    asked,
    mark: { queue, change, revision, until },
    due,
    message,
    failures,
    failing,
    refused,
    feed,
    granted: JSON.parse(granted) as FormerGrant,
    confirmed: confirmed === 1,
    confirming: confirming === 1,
  };
}

/** The readers of a collection that a condition on its further values selects. */
export async function readersWhere(
  { database, curated, name }: Collection,
  condition: string,
  values: readonly (string | number)[] = [],
): Promise<Reader[]> {
  const sql = `SELECT ${COLUMNS} FROM accession_inbox_reader WHERE area = $1 AND collection = $2 AND ${condition}`;
  return (await database.tuples<Row>(sql, [curated.area.id, name, ...values])).map(readerOf);
}

const OF_USER = 'source = $3 AND user_id = $4';

async function ownReader({ collection, grant }: InboxOf): Promise<Reader | undefined> {
  return (await readersWhere(collection, OF_USER, [grant.source, grant.userId]))[0];
}

/** What a user has chosen. */
export async function mailOf(of: InboxOf): Promise<MailSettings> {
  const own = await ownReader(of);
  return {
    mode: own?.mode ?? 'none',
    language: own?.language ?? 'en',
    address: own?.address ?? null,
    confirmed: own?.confirmed ?? false,
    refused: own?.refused ?? null,
    proposed: proposedTo(of),
    possible: of.collection.config.smtp !== undefined,
    feed: typeof own?.feed === 'string',
  };
}

/** What the source says, or a user id that is an address. */
function proposedTo({ grant: { email, userId } }: InboxOf): string | null {
  return [email, userId].find((one) => one !== undefined && new RegExp(MAIL_ADDRESS).test(one)) ?? null;
}

/**
 * Stores what a user chooses. An address that is new, or was not confirmed, is sent a link.
 *
 * @throws ServiceError `mail_refused` if the user cannot have mail, or asks for links too often; `payload_invalid` without an address
 */
export async function setMail(
  of: InboxOf,
  { mode, language, address }: Shape<typeof putMailSchema>,
): Promise<void> {
  const { collection } = of;
  const { smtp } = collection.config;
  if (smtp === undefined && mode !== 'none')
    throw new ServiceError('mail_refused', `The collection '${collection.name}' sends no mail.`);
  const mark = await presentMark(collection);
  await changeReader(of, (own) => {
    const to = address ?? own.address;
    if (to === null && mode !== 'none') {
      const msg = 'expected an address, and there is none yet';
      throw refusal('payload_invalid', [{ type: 'missing', loc: ['body', 'address'], msg }]);
    }
    const begins = own.mode === 'none' && mode !== 'none';
    const chosen = {
      ...own,
      mode,
      language: language ?? own.language,
      address: to,
      ...(begins && { mark }),
      due: smtp === undefined ? 0 : dueOf(mode, smtp),
    };
    const isKnown = address === own.address && own.confirmed && own.refused === null;
    if (address === undefined || isKnown) return chosen;
    if (isWithin(own.asked, KEEP.asked)) {
      const wait = `at most one link is sent in ${KEEP.asked / 1000} seconds`;
      throw new ServiceError('mail_refused', `A link was just sent to '${own.address}', and ${wait}.`);
    }
    const asking = { confirmed: false, confirming: true, asked: Date.now(), due: 0 };
    return { ...chosen, ...asking, failures: 0, failing: null, refused: null };
  });
}

/** Makes a secret for the URL of the feed, in place of a former one. @returns the secret, which is not kept */
export async function makeFeed(of: InboxOf): Promise<string> {
  const secret = newSecret();
  await changeReader(of, (own) => ({ ...own, feed: sha256(secret) }));
  return secret;
}

/** Ends the URL of the feed. */
export async function endFeed({ collection: { database, curated, name }, grant }: InboxOf): Promise<void> {
  await database.transact(
    async (draft) =>
      void draft.run(
        `UPDATE accession_inbox_reader SET feed = NULL WHERE area = $1 AND collection = $2 AND ${OF_USER}`,
        [curated.area.id, name, grant.source, grant.userId],
      ),
  );
}

/** Forgets the address, the feed and the choice of a user. */
export async function forgetReader({ collection, grant }: InboxOf): Promise<void> {
  const { database, curated, name } = collection;
  const values = [curated.area.id, name, grant.source, grant.userId];
  const own = `FROM accession_inbox_reader WHERE area = $1 AND collection = $2 AND ${OF_USER}`;
  await database.transact(async (draft) => {
    draft.run(`DELETE FROM accession_inbox_mailed WHERE reader IN (SELECT id ${own})`, values);
    draft.run(`DELETE ${own}`, values);
  });
}

/**
 * Changes the row of a user, which is made if there is none. What is granted to the user from now on is what the token of the request permits.
 *
 * @throws ServiceError `mail_refused` for a token without which its source does not know the user, and for one user too many
 */
async function changeReader({ collection, grant }: InboxOf, change: (own: Reader) => Reader): Promise<void> {
  const { database, curated, name } = collection;
  const { label: _, isDefault: _default, email: _email, ...granted } = grant;
  const { source, userId } = granted;
  if ((await collection.authorizeAgain(granted)) === undefined)
    throw new ServiceError(
      'mail_refused',
      'What you may read cannot be found without your token, so there is neither mail nor a feed for you.',
    );
  const key = [curated.area.id, name, source, userId];
  await database.transact(async (draft) => {
    const [row] = await draft.tuples<Row>(
      `SELECT ${COLUMNS} FROM accession_inbox_reader WHERE area = $1 AND collection = $2 AND ${OF_USER}`,
      key,
    );
    const [[count] = [0]] = await draft.tuples<[number]>(
      'SELECT count(*) FROM accession_inbox_reader WHERE area = $1 AND collection = $2',
      key.slice(0, 2),
    );
    if (!row && count >= MOST_READERS)
      throw new ServiceError(
        'mail_refused',
        `${MOST_READERS} users of the collection have mail or a feed already.`,
      );
    const next = change(row ? readerOf(row) : { ...NEW_READER, userId, granted, secret: newSecret() });
    draft.run(UPSERT, [
      ...key,
      JSON.stringify(granted),
      next.secret,
      next.mode,
      next.language,
      next.address,
      Number(next.confirmed),
      Number(next.confirming),
      next.asked,
      next.mark.until,
      next.mark.queue,
      next.mark.change,
      next.mark.revision,
      next.due,
      next.failures,
      next.failing,
      next.refused,
      next.feed,
    ]);
  });
}

const NEW_READER: Omit<Reader, 'userId' | 'granted' | 'secret'> = {
  id: 0,
  mode: 'none',
  language: 'en',
  address: null,
  confirmed: false,
  confirming: false,
  asked: 0,
  mark: NOTHING,
  due: 0,
  message: null,
  failures: 0,
  failing: null,
  refused: null,
  feed: null,
};

const UPSERT = `INSERT INTO accession_inbox_reader (area, collection, source, user_id, granted, secret, mode, language, address,
    confirmed, confirming, asked, since, ${MARK_COLUMNS}, due, failures, failing, refused, feed)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
  ON CONFLICT (area, collection, source, user_id) DO UPDATE SET granted = excluded.granted, mode = excluded.mode,
    language = excluded.language, address = excluded.address, confirmed = excluded.confirmed, confirming = excluded.confirming,
    asked = excluded.asked, since = excluded.since, queue = excluded.queue, change = excluded.change,
    revision = excluded.revision, due = excluded.due, failures = excluded.failures, failing = excluded.failing,
    refused = excluded.refused, feed = excluded.feed`;

/** When the next mail may be sent, in milliseconds since 1970: a digest at its time of day. */
export function dueOf(mode: Mode, { digest_at }: Pick<SmtpConfig, 'digest_at'>, now = Date.now()): number {
  if (mode !== 'daily') return 0;
  const [hours = 0, minutes = 0] = digest_at!.split(':').map(Number);
  const today = new Date(now).setUTCHours(hours, minutes, 0, 0);
  return today > now ? today : today + DAY;
}

/** The links in mail, each of which does one thing, without signing in. */
export type LinkPurpose = 'confirm' | 'unsubscribe';

/** The token of a link. It is signed, about one address, and that for a confirmation is about one mail. */
export function linkToken(purpose: LinkPurpose, reader: Reader): string {
  return `${purpose}.${reader.id}.${signatureOf(purpose, reader)}`;
}

function signatureOf(purpose: LinkPurpose, { id, secret, address, asked }: Reader): string {
  const signed = JSON.stringify([purpose, id, address, ...(purpose === 'confirm' ? [asked] : [])]);
  return createHmac('sha256', secret).update(signed).digest('base64url');
}

/**
 * The link that a token is of.
 *
 * @throws ServiceError `inbox_link_unknown` if the service has not signed it, if it was for another address, or if it is too old
 */
export async function linkOf(
  collection: Collection,
  token: string,
): Promise<{ readonly purpose: LinkPurpose; readonly reader: Reader }> {
  const [purpose = '', id = '', signature = ''] = token.split('.');
  const isPurpose = purpose === 'confirm' || purpose === 'unsubscribe';
  const [reader] =
    isPurpose && /^\d{1,15}$/.test(id) ? await readersWhere(collection, 'id = $3', [Number(id)]) : [];
  const isOver = purpose === 'confirm' && !isWithin(reader?.asked ?? 0, KEEP.confirmation);
  if (isPurpose && reader && !isOver && isEqual(signature, signatureOf(purpose, reader)))
    return { purpose, reader };
  throw linkUnknown('The link');
}

/** The error about a URL that the service has not made, or does not honor any more. */
export function linkUnknown(what: 'The link' | 'The feed'): ServiceError {
  return new ServiceError(
    'inbox_link_unknown',
    `${what} does not exist any more. See the settings in your inbox.`,
  );
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** Does what a link is for. It may be followed more than once. */
export async function followLink(
  collection: Collection,
  { purpose, reader: { id, mode, confirmed } }: Awaited<ReturnType<typeof linkOf>>,
): Promise<void> {
  const { smtp } = collection.config;
  if (purpose === 'confirm' && confirmed) return;
  await collection.database.transact(async (draft) => {
    if (purpose === 'unsubscribe')
      draft.run("UPDATE accession_inbox_reader SET mode = 'none', message = NULL WHERE id = $1", [id]);
    else
      draft.run('UPDATE accession_inbox_reader SET confirmed = 1, confirming = 0, due = $2 WHERE id = $1', [
        id,
        smtp === undefined ? 0 : dueOf(mode, smtp),
      ]);
  });
}

/** The reader that a secret of a feed is of. @throws ServiceError `inbox_link_unknown` */
export async function readerOfFeed(collection: Collection, secret: string): Promise<Reader> {
  const [reader] = await readersWhere(collection, 'feed = $3', [sha256(secret)]);
  if (reader) return reader;
  throw linkUnknown('The feed');
}

/** How many addresses of a collection get no more mail. */
export async function countRefused({ database, curated, name }: Collection): Promise<number> {
  const sql =
    'SELECT count(*) FROM accession_inbox_reader WHERE area = $1 AND collection = $2 AND refused IS NOT NULL';
  return (await database.tuples<[number]>(sql, [curated.area.id, name]))[0]![0];
}
