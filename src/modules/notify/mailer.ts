/**
 * Sends the inbox of users by mail. What is to be sent is stored before it is: the events of a mail with its Message-ID. A process
 * that is killed between the acceptance of a mail and the note of it sends the same mail again, with the same Message-ID; no other
 * mail has its events. Of several instances on one database, the leading one sends.
 */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Collection } from '../../core/collections/collection.ts';
import type { Registry } from '../../core/collections/registry.ts';
import { DAY, DELAY, deliveryPause, EVERY, KEEP, RETRY } from '../../core/durations.ts';
import { collectionUrl } from '../../core/http/origin.ts';
import type { MemoryBounds } from '../../core/memory-bounds.ts';
import type { JobContext, JobHandle, Jobs } from '../../core/work/jobs.ts';
import { reviewPart } from '../review/part.ts';
import type { SmtpConfig } from './configuration.ts';
import type { InboxEvent } from './event-texts.ts';
import { eventsOf, type InboxPosition, inboxAgain } from './inbox.ts';
import { isBehind, markIn, presentMark } from './marks.ts';
import { confirmationMail, eventMail, oneLine } from './message.ts';
import type { InboxOf } from './person.ts';
import { dueOf, type LinkPurpose, linkToken, type Reader, readersWhere } from './readers.ts';
import { type Outcome, send } from './transport.ts';

type MailerParts = {
  readonly collection: Collection;
  readonly smtp: SmtpConfig;
  readonly registry: Pick<Registry, 'current'>;
  /** The store directory. */
  readonly root: string;
  readonly log: { warn(details: object, message: string): void };
};

/** Events in one mail, and pages of so many that are read to find them again. */
const MOST_EVENTS = 50;
const MOST_PAGES = 20;
/** Longer than any mail is put off: a digest is so for a day, by a clock that may differ from that of the database. In milliseconds. */
const LONGEST_PAUSE = 2 * DAY;
/** Users who are read at once. */
const AT_ONCE = 200;

export const MEMORY = {
  inboxes: {
    what: 'versions of inboxes that were looked at for mail',
    bytes: 2 ** 20,
    count: 1,
    of: 'collection',
  },
} as const satisfies MemoryBounds;

/** Sends mail of a collection from now on. @returns what is closed with the collection */
export function sendMail(parts: MailerParts, jobs: Jobs): { close(): Promise<void> } {
  const mailer = new Mailer(parts);
  const job: JobHandle = jobs.add({
    name: 'mail',
    collection: parts.collection.name,
    every: EVERY.mail,
    run: (context) => mailer.run(context),
  });
  job.wake();
  return {
    async close() {
      mailer.abort();
      await job.stop();
    },
  };
}

class Mailer {
  readonly #parts: MailerParts;
  readonly #stopped = new AbortController();
  /** Of users who get mail at once, the version of the inbox in which there was nothing for them. */
  readonly #seen = new LRUCache<number, string>({
    maxSize: MEMORY.inboxes.bytes,
    sizeCalculation: (version) => 100 + version.length,
  });

  constructor(parts: MailerParts) {
    this.#parts = parts;
  }

  /** Ends the connection in use. Its mail comes again at the next start. */
  abort(): void {
    this.#stopped.abort();
  }

  /** Sends what is due. @throws ServiceError `mail_unavailable` if the server cannot be used */
  async run({ stopping, yieldIfDue }: JobContext): Promise<void> {
    const { collection } = this.#parts;
    const { database } = collection;
    const { now } = database.dialect;
    // Nothing is put off for longer: that was by a clock that was ahead.
    const isDue = `address IS NOT NULL AND refused IS NULL AND (due <= ${now} OR due > ${now} + ${LONGEST_PAUSE})
      AND (confirming = 1 OR (confirmed = 1 AND mode <> 'none')) AND id > $3 ORDER BY id LIMIT ${AT_ONCE}`;
    let version: string | undefined;
    for (let last = 0; database.leadership.held; ) {
      const readers = await readersWhere(collection, isDue, [last]);
      if (readers.length === 0) return;
      version ??= await collection.part(reviewPart).review.version();
      for (const reader of readers) {
        if (stopping || this.#stopped.signal.aborted || !database.leadership.held) return;
        await yieldIfDue();
        if (reader.confirming) await this.#confirm(reader);
        else await this.#serve(reader, version);
      }
      last = readers.at(-1)!.id;
    }
  }

  async #confirm(reader: Reader): Promise<void> {
    const { smtp, collection } = this.#parts;
    const content = confirmationMail(reader.userId, this.#about(reader), this.#linkOf('confirm', reader));
    const messageId = `<confirm.${reader.id}.${reader.asked}@${hostOf(smtp)}>`;
    const outcome = await this.#send(reader, { ...content, messageId });
    if (!outcome) return;
    if (outcome.state !== 'sent') return this.#noteFailure(reader, outcome);
    await collection.database.transact(
      async (draft) =>
        void draft.run(
          `UPDATE accession_inbox_reader SET confirming = 0, failures = 0, failing = NULL, due = $3
           WHERE id = $1 AND asked = $2`,
          [reader.id, reader.asked, dueOf(reader.mode, smtp)],
        ),
    );
  }

  async #serve(reader: Reader, version: string): Promise<void> {
    const { collection, smtp, registry } = this.#parts;
    const isBegun = reader.message !== null;
    if (!isBegun && reader.mode === 'at_once' && this.#seen.get(reader.id) === version) return;
    const of = await inboxAgain(collection, reader.granted, registry);
    if (!of) return this.#later(reader, RETRY.unknownReader);
    if (!isBegun && !(await this.#begin(reader, of))) {
      if (reader.mode === 'daily') return this.#later(reader, dueOf('daily', smtp) - Date.now());
      this.#seen.set(reader.id, version);
      return;
    }
    const [begun] = await readersWhere(collection, 'id = $3', [reader.id]);
    if (begun?.message != null) await this.#sendBegun(begun, begun.message, of);
  }

  /**
   * Stores the next mail, with the events that no mail had yet, and one more if there are too many: those are not mailed any more.
   *
   * @returns whether there are any
   */
  async #begin(reader: Reader, of: InboxOf): Promise<boolean> {
    const { collection, smtp } = this.#parts;
    const { database } = collection;
    // First: what happens meanwhile is in the next mail.
    const present = await presentMark(collection);
    const mark = markIn(present, reader.mark);
    const { events } = await eventsOf(of, { mark, limit: MOST_EVENTS + 1 });
    // An earlier release has kept what it has mailed in the last hour.
    const known = await this.#mailed(reader);
    const next = events.filter(
      ({ at, key }) => isBehind(mark, at) && !isBehind(present, at) && !known.has(key),
    );
    if (next.length === 0) return false;
    const message = `<${randomUUID()}@${hostOf(smtp)}>`;
    await database.transact(async (draft) => {
      draft.run(
        `UPDATE accession_inbox_reader SET message = $2, since = 0, queue = $3, change = $4, revision = $5
         WHERE id = $1 AND message IS NULL AND mode <> 'none'`,
        [reader.id, message, present.queue, present.change, present.revision],
      );
      for (const { key, at } of next)
        draft.run(
          `INSERT INTO accession_inbox_mailed (reader, event, collection, time, message) SELECT id, $2, collection, $3, $4
             FROM accession_inbox_reader WHERE id = $1 AND message = $4
           ON CONFLICT (reader, event) DO UPDATE SET message = excluded.message`,
          [reader.id, key, at.time, message],
        );
    });
    return true;
  }

  /** The events of a user that are in a mail, with its Message-ID. */
  async #mailed({ id }: Reader): Promise<Map<string, string>> {
    const sql = 'SELECT event, message FROM accession_inbox_mailed WHERE reader = $1';
    return new Map(await this.#parts.collection.database.tuples<[string, string]>(sql, [id]));
  }

  async #sendBegun(reader: Reader, messageId: string, of: InboxOf): Promise<void> {
    const { grant } = of;
    const events = await this.#eventsIn(reader, messageId, of);
    // All of it was decided, withdrawn or hidden meanwhile.
    if (events.length === 0) return this.#noteSent(reader, messageId);
    const unsubscribe = this.#linkOf('unsubscribe', reader);
    const content = eventMail(events.slice(0, MOST_EVENTS), this.#about(reader), {
      curates: grant.permissions.curate,
      more: events.length > MOST_EVENTS,
      unsubscribe,
    });
    const outcome = await this.#send(reader, { ...content, messageId, unsubscribe });
    if (outcome?.state === 'sent') await this.#noteSent(reader, messageId);
    else if (outcome) await this.#noteFailure(reader, outcome);
  }

  /** The events of a mail that concern its reader and may be shown at the moment. */
  async #eventsIn(reader: Reader, messageId: string, of: InboxOf): Promise<InboxEvent[]> {
    const mailed = await this.#mailed(reader);
    const wanted = [...mailed.values()].filter((one) => one === messageId).length;
    const events: InboxEvent[] = [];
    let after: InboxPosition | undefined;
    for (let page = 0; page < MOST_PAGES && events.length < wanted; page++) {
      const read = await eventsOf(of, { after, limit: MOST_EVENTS });
      for (const { event, key } of read.events) if (mailed.get(key) === messageId) events.push(event);
      if (read.next === null) break;
      after = read.next;
    }
    return events;
  }

  /** @returns undefined if the service stops: it is not known what the server has done */
  async #send(reader: Reader, mail: Omit<Parameters<typeof send>[0], 'to'>): Promise<Outcome | undefined> {
    const { smtp, root, collection } = this.#parts;
    const { signal } = this.#stopped;
    try {
      return await send(
        { ...mail, to: reader.address! },
        { smtp, root, name: oneLine(collection.name), signal },
      );
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #noteSent(reader: Reader, messageId: string): Promise<void> {
    const { collection, smtp } = this.#parts;
    const { now } = collection.database.dialect;
    const [due, at] = reader.mode === 'daily' ? ['$3', dueOf('daily', smtp)] : [`${now} + $3`, DELAY.mail];
    await collection.database.transact(async (draft) => {
      draft.run(
        `UPDATE accession_inbox_reader SET message = NULL, failures = 0, failing = NULL, due = ${due}
         WHERE id = $1 AND message = $2`,
        [reader.id, messageId, at],
      );
      draft.run('DELETE FROM accession_inbox_mailed WHERE reader = $1 AND message = $2', [
        reader.id,
        messageId,
      ]);
    });
  }

  async #noteFailure(reader: Reader, outcome: Exclude<Outcome, { state: 'sent' }>): Promise<void> {
    const { collection, log } = this.#parts;
    const { database, name } = collection;
    const { now } = database.dialect;
    // By the clock of the database, as it was begun: that of another instance may differ.
    const [[failed] = [0]] = await database.tuples<[number]>(
      `SELECT COALESCE(${now} - failing, 0) FROM accession_inbox_reader WHERE id = $1`,
      [reader.id],
    );
    const isOver = outcome.state === 'refused' || failed > KEEP.failingDelivery;
    await database.transact(
      async (draft) =>
        void draft.run(
          `UPDATE accession_inbox_reader SET failures = failures + 1, failing = COALESCE(failing, ${now}), due = ${now} + $2,
             refused = $3 WHERE id = $1 AND address = $4`,
          [
            reader.id,
            deliveryPause(RETRY.mail, reader.failures),
            isOver ? outcome.reason : null,
            reader.address,
          ],
        ),
    );
    if (isOver) log.warn({ collection: name, reader: reader.id }, 'address refuses mail, will not retry');
    else if (reader.failures === 0)
      log.warn({ collection: name, reader: reader.id }, 'mail was deferred, will retry');
  }

  /** @param pause in milliseconds */
  async #later({ id }: Reader, pause: number): Promise<void> {
    const { database } = this.#parts.collection;
    await database.transact(
      async (draft) =>
        void draft.run(`UPDATE accession_inbox_reader SET due = ${database.dialect.now} + $2 WHERE id = $1`, [
          id,
          pause,
        ]),
    );
  }

  #about({ language }: Reader) {
    const { collection, smtp } = this.#parts;
    return { collection: collection.name, url: smtp.url, language };
  }

  #linkOf(purpose: LinkPurpose, reader: Reader): string {
    const { collection, smtp } = this.#parts;
    const base = collectionUrl(smtp.url.replace(/\/+$/, ''), collection.name);
    return `${base}/inbox/link?token=${linkToken(purpose, reader)}`;
  }
}

/** The right side of Message-IDs. */
function hostOf({ from }: SmtpConfig): string {
  return from.slice(from.lastIndexOf('@') + 1);
}
