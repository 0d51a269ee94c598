/**
 * Sends the deliveries of webhooks: those of each in their order, at least once, and each webhook by itself, so a slow receiver
 * delays no other and no write. Of several instances on one database, the leading one sends.
 */
import { deliveryPause, EVERY, KEEP, RETRY } from '../../core/durations.ts';
import type { Database } from '../../core/storage/database.ts';
import type { Dialect } from '../../core/storage/dialect.ts';
import type { Jobs } from '../../core/work/jobs.ts';
import type { Notice } from './projection.ts';
import { type Attempt, send } from './send.ts';
import { IS_OF_WEBHOOK, type WebhookConfig } from './webhooks.ts';

type SenderParts = {
  readonly database: Database;
  /** The hosts on this machine or in a private network that may be sent to; undefined lets all. */
  readonly hosts: readonly string[] | undefined;
  readonly log: { warn(details: object, message: string): void };
};

/** A webhook: its area, its collection and its name. */
type Key = readonly [area: number, collection: string, name: string];
type Next = readonly [
  id: number,
  message: string,
  notice: string,
  config: string,
  secret: string,
  failures: number,
  /** For how long deliveries have failed, in milliseconds. */
  failing: number | null,
];

/** Deliveries of a webhook that are kept to be looked at, besides those that are pending. */
const KEPT = 1000;
const PRUNED_EVERY = 200;

/**
 * A condition: a delivery may be sent now. The clock of the database decides: another instance may go on with a clock of its own. None is
 * put off for so long, unless by a clock that was ahead.
 */
const isDue = ({ now }: Pick<Dialect, 'now'>) =>
  `(w.due <= ${now} OR w.due > ${now} + ${2 * RETRY.askedAtMost})`;
const due = (dialect: Dialect) => `SELECT w.area, w.collection, w.name FROM accession_webhook w
  WHERE w.disabled IS NULL AND ${isDue(dialect)} AND EXISTS (SELECT 1 FROM accession_delivery d
    WHERE d.area = w.area AND d.collection = w.collection AND d.webhook = w.name AND d.delivered = 0)`;
const next = ({
  now,
}: Dialect) => `SELECT d.id, d.message, d.json, w.json, w.secret, w.failures, ${now} - w.failing
  FROM accession_webhook w
  JOIN accession_delivery d ON d.area = w.area AND d.collection = w.collection AND d.webhook = w.name
  WHERE w.area = $1 AND w.collection = $2 AND w.name = $3 AND w.disabled IS NULL AND ${isDue({ now })} AND d.delivered = 0
  ORDER BY d.id LIMIT 1`;
/** A webhook may be deleted meanwhile, and a later delivery have the number of one of these. */
const IS_DELIVERY = 'id = $1 AND message = $2';
const PRUNE = `DELETE FROM accession_delivery WHERE ${IS_OF_WEBHOOK} AND delivered = 1 AND id <=
  (SELECT id FROM accession_delivery WHERE ${IS_OF_WEBHOOK} ORDER BY id DESC LIMIT 1 OFFSET ${KEPT})`;

/** Sends deliveries from now on. @returns the sender, which is closed before the database */
export function sendWebhooks(parts: SenderParts, jobs: Jobs): { close(): Promise<void> } {
  const sender = new WebhookSender(parts);
  const run = () => sender.begin();
  jobs.add({ name: 'webhooks', every: EVERY.webhooks, run }).wake();
  return sender;
}

class WebhookSender {
  readonly #parts: SenderParts;
  readonly #sending = new Map<string, Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Ends the requests in progress. Their deliveries come again at the next start. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#sending.values());
  }

  /** Begins to send for each webhook with deliveries that are due. */
  async begin(): Promise<void> {
    const { database, log } = this.#parts;
    if (!this.#maySend) return;
    for (const webhook of await database.tuples<Key>(due(database.dialect))) {
      const id = JSON.stringify(webhook);
      if (this.#sending.has(id)) continue;
      const [, collection, name] = webhook;
      const sending = this.#sendAll(webhook)
        .catch((err: unknown) => log.warn({ err, collection, webhook: name }, 'could not send, will retry'))
        .finally(() => this.#sending.delete(id));
      this.#sending.set(id, sending);
    }
  }

  get #maySend(): boolean {
    return this.#parts.database.leadership.held && !this.#stopped.signal.aborted;
  }

  /** Sends until nothing is left, or a delivery fails. */
  async #sendAll(webhook: Key): Promise<void> {
    const { database, hosts } = this.#parts;
    const [, collection, name] = webhook;
    const { signal } = this.#stopped;
    for (let sent = 0; this.#maySend; sent++) {
      const [delivery] = await database.tuples<Next>(next(database.dialect), webhook);
      if (!delivery || sent % PRUNED_EVERY === PRUNED_EVERY - 1) await this.#prune(webhook);
      if (!delivery) return;
      const [, id, notice, config, secret] = delivery;
      const attempt = await send(
        { name, secret, config: JSON.parse(config) as WebhookConfig },
        { id, notice: JSON.parse(notice) as Notice },
        { collection, hosts, signal },
      );
      // Without a status, it is not known what the receiver has done.
      if (signal.aborted && attempt.outcome.status === null) return;
      await this.#note(webhook, delivery, attempt);
      if (!attempt.outcome.delivered) return;
    }
  }

  async #note(
    webhook: Key,
    [id, message, , , , failures, failing]: Next,
    { outcome: { delivered, status, error }, pause }: Attempt,
  ): Promise<void> {
    const { database, log } = this.#parts;
    const { now } = database.dialect;
    const reason = delivered ? null : reasonToDisable(status, failing ?? 0);
    const changed = delivered
      ? 'failures = 0, failing = NULL, due = 0, disabled = NULL'
      : `failures = $6, failing = COALESCE(failing, ${now}), due = ${now} + $7, disabled = $8`;
    const changedValues = delivered
      ? []
      : [failures + 1, deliveryPause(RETRY.webhook, failures, pause), reason];
    await database.transact(async (draft) => {
      draft.run(
        `UPDATE accession_delivery SET delivered = $3, attempts = attempts + 1, attempted = $4, status = $5, error = $6
         WHERE ${IS_DELIVERY}`,
        [id, message, delivered ? 1 : 0, Date.now(), status, error],
      );
      if (delivered && failures === 0) return;
      draft.run(
        `UPDATE accession_webhook SET ${changed}
         WHERE area = $3 AND collection = $4 AND name = $5
           AND EXISTS (SELECT 1 FROM accession_delivery WHERE ${IS_DELIVERY})`,
        [id, message, ...webhook, ...changedValues],
      );
    });
    const [, collection, name] = webhook;
    if (reason !== null) log.warn({ collection, webhook: name, reason }, 'webhook disabled');
    else if (!delivered && failures === 0)
      log.warn({ collection, webhook: name, status }, 'webhook delivery failed, will retry');
  }

  async #prune(webhook: Key): Promise<void> {
    await this.#parts.database.transact(async (draft) => void draft.run(PRUNE, [...webhook]));
  }
}

/** Why a webhook gets no more deliveries; null if it does. */
function reasonToDisable(status: number | null, failing: number): string | null {
  if (status === 410) return 'the receiver answered 410 (Gone)';
  return failing >= KEEP.failingDelivery ? 'deliveries have failed for 5 days' : null;
}
