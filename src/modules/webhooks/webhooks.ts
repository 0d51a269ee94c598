/**
 * Webhooks of a collection: URLs that are sent its changes. Curators set them, and so they are informed of every change of the
 * curated area. The secret that signs deliveries is returned once, by the request that makes the webhook.
 */
import { randomBytes } from 'node:crypto';
import { CHANGE_KINDS } from '../../core/collections/change-kinds.ts';
import { type Problem, ServiceError } from '../../core/errors.ts';
import { refusal } from '../../core/json-schema.ts';
import { addressGuard, RequestRefusal } from '../../core/schema/address-guard.ts';
import type { Schema } from '../../core/schema/schema.ts';
import {
  bodyOf,
  countSchema,
  listOf,
  objectOf,
  type Shape,
  textOrNull,
  textSchema,
} from '../../core/shapes.ts';
import { revisionAtCommit, setCursorToNow } from '../../core/storage/cursors.ts';
import type { Database, Draft } from '../../core/storage/database.ts';
import type { Reader } from '../../core/storage/reader.ts';
import type { RecordStore } from '../../core/storage/store.ts';
import type {} from './codes.ts';

/** The configuration of a webhook. */
export const webhookConfigSchema = bodyOf(
  { url: { ...textSchema, description: 'Where changes are sent to, by POST.' } },
  {
    kinds: {
      ...listOf({ enum: CHANGE_KINDS }),
      description: 'Only changes of these kinds; all if it is missing or empty.',
    },
    classes: {
      ...listOf(textSchema),
      description:
        'Only changes of records of these classes, with their subclasses; of all if it is missing or empty.',
    },
    format: {
      enum: ['standard', 'cloudevents'],
      default: 'standard',
      description: 'The bodies: payloads of Standard Webhooks, or CloudEvents.',
    },
  },
);
export type WebhookConfig = Required<Shape<typeof webhookConfigSchema>>;

export const webhookSchema = objectOf({
  ...webhookConfigSchema.properties,
  name: textSchema,
  state: { enum: ['active', 'failing', 'disabled'] },
  reason: { ...textOrNull, description: 'Why it is disabled.' },
  failing_since: { ...textOrNull, description: 'The first of the attempts that fail.' },
  pending: { ...countSchema, description: 'Changes that are not delivered yet; at most 10,000 are counted.' },
});
type WebhookState = WebhookConfig & Shape<typeof webhookSchema>;

export type WebhooksOf = {
  readonly name: string;
  readonly database: Database;
  readonly curated: RecordStore;
};

/** The cursor of a collection with webhooks, and its version. */
export const CURSOR = { name: 'webhooks', version: '1' } as const;

const MOST_WEBHOOKS = 20;
const MOST_COUNTED = 10_000;
const LONGEST_URL = 2000;
const NAME = /^[\w.-]{1,100}$/;
/** In bytes; the standard asks for 24 to 64. */
const SECRET_LENGTH = 32;

type Row = readonly [
  name: string,
  json: string,
  failing: number | null,
  disabled: string | null,
  pending: number,
];

const key = ({ curated, name }: WebhooksOf) => [curated.area.id, name] as const;

/** The webhooks of a collection by name, or the one with a name. */
export async function listWebhooks(of: WebhooksOf, name?: string): Promise<WebhookState[]> {
  if (name !== undefined && !NAME.test(name)) return [];
  const rows = await of.database.tuples<Row>(
    `SELECT w.name, w.json, w.failing, w.disabled,
       (SELECT count(*) FROM (SELECT 1 FROM accession_delivery d WHERE d.area = w.area AND d.collection = w.collection
          AND d.webhook = w.name AND d.delivered = 0 LIMIT ${MOST_COUNTED}) pending)
     FROM accession_webhook w WHERE w.area = $1 AND w.collection = $2 ${name === undefined ? '' : 'AND w.name = $3'}
     ORDER BY w.name`,
    [...key(of), ...(name === undefined ? [] : [name])],
  );
  return rows.map(([name, json, failing, disabled, pending]) => ({
    ...(JSON.parse(json) as WebhookConfig),
    name,
    state: disabled !== null ? 'disabled' : failing !== null ? 'failing' : 'active',
    reason: disabled,
    failing_since: failing === null ? null : new Date(failing).toISOString(),
    pending,
  }));
}

/** @throws ServiceError `webhook_unknown` */
export async function webhookNamed(of: WebhooksOf, name: string): Promise<WebhookState> {
  const [found] = await listWebhooks(of, name);
  return found ?? unknown(of, name);
}

export async function countDisabled(of: WebhooksOf): Promise<number> {
  const sql =
    'SELECT count(*) FROM accession_webhook WHERE area = $1 AND collection = $2 AND disabled IS NOT NULL';
  const [row] = await of.database.tuples<[number]>(sql, [...key(of)]);
  return row?.[0] ?? 0;
}

/**
 * Makes a webhook, which follows the changes from now on, or sets another one in its place. One that is disabled is enabled again,
 * and goes on with the changes from now on.
 *
 * @returns the secret of a new one, else null
 * @throws ServiceError `payload_invalid`
 */
export async function putWebhook(
  of: WebhooksOf & { readonly schema: Schema },
  name: string,
  config: WebhookConfig,
  hosts: readonly string[] | undefined,
): Promise<string | null> {
  if (!NAME.test(name)) throw refusedName('expected 1 to 100 letters, digits, dots, hyphens and underscores');
  requireSendable(config, of.schema, hosts);
  const secret = `whsec_${randomBytes(SECRET_LENGTH).toString('base64')}`;
  const own = [...key(of), name] as const;
  const json = JSON.stringify(config);
  return of.database.transact(async (draft) => {
    const all = await webhooksIn(draft, of);
    const former = all.find((one) => one.name === name);
    if (former && former.disabled === null) {
      const sql = `UPDATE accession_webhook SET json = $4, failures = 0, failing = NULL, due = 0 WHERE ${IS_WEBHOOK}`;
      draft.run(sql, [...own, json]);
      return null;
    }
    if (!former && all.length >= MOST_WEBHOOKS)
      throw refusedName(
        `expected the name of one of the ${MOST_WEBHOOKS} webhooks that a collection may have`,
      );
    if (all.length === 0) setCursorToNow(draft, `${CURSOR.name} ${of.name}`, own[0], CURSOR.version);
    draft.run(`DELETE FROM accession_delivery WHERE ${IS_OF_WEBHOOK} AND delivered = 0`, own);
    draft.run(
      `INSERT INTO accession_webhook (area, collection, name, json, secret, since, failures, due)
       VALUES ($1, $2, $3, $4, $5, ${revisionAtCommit(1)}, 0, 0)
       ON CONFLICT (area, collection, name) DO UPDATE
       SET json = excluded.json, since = excluded.since, failures = 0, failing = NULL, due = 0, disabled = NULL`,
      [...own, json, former ? '' : secret],
    );
    return former ? null : secret;
  });
}

/** Removes a webhook with its deliveries. @throws ServiceError `webhook_unknown` */
export async function deleteWebhook(of: WebhooksOf, name: string): Promise<void> {
  await of.database.transact(async (draft) => {
    await storedWebhook(draft, of, name);
    const own = [...key(of), name];
    draft.run(`DELETE FROM accession_webhook WHERE ${IS_WEBHOOK}`, own);
    draft.run(`DELETE FROM accession_delivery WHERE ${IS_OF_WEBHOOK}`, own);
  });
}

const IS_WEBHOOK = 'area = $1 AND collection = $2 AND name = $3';
export const IS_OF_WEBHOOK = 'area = $1 AND collection = $2 AND webhook = $3';

/** A webhook of a collection, as the projection and the sender see it. */
export type StoredWebhook = {
  readonly name: string;
  readonly config: WebhookConfig;
  /** It follows the changes behind this revision. */
  readonly since: number;
  readonly disabled: string | null;
  readonly secret: string;
};

export async function webhooksIn(reader: Reader | Draft, of: WebhooksOf): Promise<StoredWebhook[]> {
  const rows = await reader.tuples<readonly [string, string, number, string | null, string]>(
    'SELECT name, json, since, disabled, secret FROM accession_webhook WHERE area = $1 AND collection = $2',
    [...key(of)],
  );
  return rows.map(([name, json, since, disabled, secret]) => ({
    name,
    since,
    disabled,
    secret,
    config: JSON.parse(json) as WebhookConfig,
  }));
}

/** @throws ServiceError `webhook_unknown` */
export async function storedWebhook(
  reader: Reader | Draft,
  of: WebhooksOf,
  name: string,
): Promise<StoredWebhook> {
  const all = await webhooksIn(reader, of);
  return all.find((one) => one.name === name) ?? unknown(of, name);
}

function refusedName(msg: string): ServiceError {
  return refusal('payload_invalid', [{ type: 'value_error', loc: ['path', 'name'], msg }]);
}

function unknown({ name: collection }: WebhooksOf, name: string): never {
  throw new ServiceError('webhook_unknown', `The collection '${collection}' has no webhook '${name}'.`);
}

/** @throws ServiceError `payload_invalid` with every problem */
function requireSendable(
  { url, classes }: WebhookConfig,
  schema: Schema,
  hosts: readonly string[] | undefined,
): void {
  const reason = problemOf(url, hosts);
  const problems: Problem[] = [
    ...(reason === undefined ? [] : [{ type: 'value_error', loc: ['body', 'url'], msg: reason }]),
    ...classes.flatMap((name, at) =>
      schema.classes.has(name)
        ? []
        : { type: 'value_error', loc: ['body', 'classes', at], msg: `the schema has no class '${name}'` },
    ),
  ];
  if (problems.length > 0) throw refusal('payload_invalid', problems);
}

function problemOf(text: string, hosts: readonly string[] | undefined): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || text.length > LONGEST_URL)
    return `expected an http or https URL of at most ${LONGEST_URL} characters`;
  // All curators of the collection would read them.
  if (url.username !== '' || url.password !== '') return 'expected a URL without a user name and a password';
  try {
    addressGuard(url, hosts);
    return undefined;
  } catch (error) {
    if (error instanceof RequestRefusal) return error.message;
    throw error;
  }
}
