/**
 * A copy of the curated records of another service: all of them at first, then each change. Where it has come to is stored with
 * the records, in one transaction, so a kill leaves both or neither.
 */

import { type JsonObject, parseJson } from '#linkml/json.ts';
import type { AreaClient, FollowedChange } from '../../client/client.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { SERVICE } from '../../core/collections/stores.ts';
import { ServiceError } from '../../core/errors.ts';
import { resolvePid } from '../../core/records/record.ts';
import { classNamedIn } from '../../core/schema-type.ts';
import { readCursor, removeCursor, setCursor } from '../../core/storage/cursors.ts';
import type { Change } from '../../core/storage/store.ts';

/** Records of one transaction of the first copy. */
const AT_ONCE = 200;
const CURSOR = 'source';

/** The record that an area has under an IRI, and what it is to be. */
type TargetRecord = {
  readonly iri: string;
  readonly pid: string;
  readonly className: string;
  readonly json: string;
};

export class Copy {
  readonly #own: Collection;
  readonly #source: AreaClient;
  readonly #url: string;

  /** @param url of the service: a copy of another one begins again */
  constructor(own: Collection, source: AreaClient, url: string) {
    this.#own = own;
    this.#source = source;
    this.#url = url;
  }

  /**
   * Follows the changes behind the last one, or copies all records first.
   *
   * @returns how many records were copied, if all were, and how many changes followed
   * @param progress called after each change
   * @throws ClientError with the status 410 if the copy has to {@link forget} where it was
   */
  async follow(once: boolean, progress: () => void): Promise<{ copied?: number; changes: number }> {
    const known = await this.#cursor();
    const { cursor: since, copied } = known === undefined ? await this.#copyAll() : { cursor: known };
    progress();
    let changes = 0;
    for await (const change of this.#source.changes({ since, once })) {
      await this.#apply(change);
      changes += 1;
      progress();
    }
    return { ...(copied !== undefined && { copied }), changes };
  }

  /** The next {@link follow} copies all records again. */
  async forget(): Promise<void> {
    await this.#own.database.transact(async (draft) => removeCursor(draft, CURSOR, this.#area));
  }

  get #area(): number {
    return this.#own.curated.area.id;
  }

  async #cursor(): Promise<string | undefined> {
    const row = await readCursor(this.#own.database, CURSOR, this.#area);
    const [generation, ...url] = row?.[1].split(' ') ?? [];
    return row && url.join(' ') === this.#url ? `${generation}:${row[0]}` : undefined;
  }

  /**
   * Makes the records those of the source, and deletes all others. Changes that are made meanwhile come again behind the cursor,
   * which is from before.
   */
  async #copyAll(): Promise<{ cursor: string; copied: number }> {
    const cursor = await this.#source.cursor();
    const seen = new Set<string>();
    let changes: Change[] = [];
    for await (const line of this.#source.exportLines()) {
      const wanted = this.#read(line);
      seen.add(wanted.iri);
      changes.push(...(await this.#change(wanted.iri, wanted)));
      if (changes.length < AT_ONCE) continue;
      await this.#write(changes);
      changes = [];
    }
    const gone: string[] = [];
    for await (const { iri } of this.#own.curated.scan({})) if (!seen.has(iri)) gone.push(iri);
    for (const iri of gone) changes.push({ delete: iri });
    await this.#write(changes, cursor);
    return { cursor, copied: seen.size };
  }

  #read(line: string): TargetRecord {
    const { schema } = this.#own;
    const record = parseJson(line) as JsonObject;
    const pid = String(record.pid);
    const className = classNamedIn(schema, record);
    if (className !== undefined) return { iri: resolvePid(schema, pid), pid, className, json: line };
    const message = `The record '${pid}' has a class that the schema does not have. Start again to read the schema of the service.`;
    throw new ServiceError('class_unknown', message);
  }

  /** The record as it is at the source now: a change behind this one comes, too. */
  async #apply({ pid, iri, class: className, kind, cursor }: FollowedChange): Promise<void> {
    const isGone = kind === 'deleted' || kind === 'moved';
    const json = isGone ? undefined : await this.#source.getText(pid);
    // A record that was moved meanwhile is read from where it is now, and its own change comes, too.
    const isOwn = json !== undefined && this.#iriIn(json) === iri;
    const wanted = isOwn ? { iri, pid, className, json } : undefined;
    await this.#write(await this.#change(iri, wanted), cursor);
  }

  #iriIn(json: string): string {
    return resolvePid(this.#own.schema, String((parseJson(json) as JsonObject).pid));
  }

  /** Returns the changes that make the record under an IRI the wanted one. */
  async #change(iri: string, wanted: TargetRecord | undefined): Promise<Change[]> {
    const present = await this.#own.curated.get(iri);
    if (!wanted) return present ? [{ delete: iri }] : [];
    const isSame = present?.json === wanted.json && present.className === wanted.className;
    return isSame && present.pid === wanted.pid ? [] : [{ put: wanted }];
  }

  async #write(changes: readonly Change[], cursor?: string): Promise<void> {
    const { curated } = this.#own;
    const [generation, revision] = cursor?.split(':') ?? [];
    await this.#own.database.transact(async (draft) => {
      if (changes.length > 0) await draft.write(curated.area, changes, SERVICE);
      if (cursor !== undefined)
        setCursor(draft, CURSOR, this.#area, [Number(revision), `${generation} ${this.#url}`]);
    });
  }
}
