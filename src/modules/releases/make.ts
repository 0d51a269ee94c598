/**
 * Makes releases in the background, one after the other: of several instances on one database, the leading one. The files are
 * written aside, as parts of an attempt. The transaction that names the attempt complete is the last one, so a process that
 * ends before it leaves nothing that is served, and the next one makes the release again.
 */
import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { jsonldContext } from '#linkml/generate/jsonld-context.ts';
import { compareCodePoints } from '#linkml/json.ts';
import { curatedAt } from '../../core/collections/as-of.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { documentsOrNotesOf } from '../../core/collections/documents.ts';
import { isServiceError, ServiceError } from '../../core/errors.ts';
import { dumpYaml } from '../../core/formats/dump-yaml.ts';
import type { FormatName } from '../../core/formats/formats.ts';
import type { Database } from '../../core/storage/database.ts';
import type { ListedRecord } from '../../core/storage/store.ts';
import type { JobContext, Jobs } from '../../core/work/jobs.ts';
import type { Pool } from '../../core/work/pool.ts';
import { titleOfCollection } from '../publish/landing-page.ts';
import { ArchiveWriter, archivedContent, ReleaseFailedError } from './archive.ts';
import { crateMetadata, FILES, type FileName, METADATA_FILE } from './crate.ts';
import {
  beginAttempt,
  commitAttempt,
  discardAttempt,
  endAttempt,
  lastRelease,
  noteProgress,
  type Release,
  type ReleaseChanges,
  type ReleaseContents,
  type ReleaseFile,
  releaseNamed,
  releasesToMake,
  SupersededError,
} from './releases.ts';

/** The bytes of the disk of a store that releases leave to other writes: a full one would refuse these, and every deletion. */
const LEFT_TO_OTHERS = 32 * 2 ** 20;

/** Requested releases are looked for in this interval, in milliseconds: another instance may have the request. */
const INTERVAL = 500;

type MakerParts = {
  /** The store directory, which has the database if that is SQLite. */
  readonly root: string;
  readonly database: Database;
  readonly registry: { current(): { readonly collections: ReadonlyMap<string, Collection> } };
  readonly pool: Pool;
  readonly log: { warn(details: object, message: string): void };
};

/** Makes requested releases from now on. */
export function makeReleases(parts: MakerParts, jobs: Jobs): undefined {
  const run = (context: JobContext) => makeAll(parts, context);
  jobs.add({ name: 'releases', every: INTERVAL, run }).wake();
}

/** The service stops: the release is made after its next start. */
class StoppingError extends Error {}

async function makeAll(parts: MakerParts, context: JobContext): Promise<void> {
  const { database, registry, log } = parts;
  if (!database.leadership.held) return;
  let failed: unknown;
  for (const [area, name, release] of await releasesToMake(database)) {
    const collection = registry.current().collections.get(name);
    if (collection?.curated.area.id !== area) continue;
    try {
      await make(parts, collection, release, context);
    } catch (error) {
      if (error instanceof StoppingError) return;
      if (error instanceof SupersededError) continue;
      if (isFinal(error)) await fail(collection, release, error.message);
      else failed = error;
      log.warn({ err: error, collection: name, release }, 'release failed');
    }
  }
  if (failed !== undefined) throw failed;
}

/** Whether the release would fail again. */
function isFinal(error: unknown): error is Error {
  if (error instanceof ReleaseFailedError) return true;
  return isServiceError(error) && error.code === 'revision_gone';
}

async function fail(collection: Collection, name: string, reason: string): Promise<void> {
  const release = await releaseNamed(collection, name);
  await commitAttempt(collection, release, (draft) => endAttempt(draft, collection, release, { reason }));
}

async function make(
  parts: MakerParts,
  collection: Collection,
  name: string,
  context: JobContext,
): Promise<void> {
  const attempt = randomUUID();
  try {
    await makeIn(parts, collection, name, attempt, context);
  } catch (error) {
    // If that fails, too, the next attempt removes them.
    await discardAttempt(collection, attempt).catch(() => undefined);
    throw error;
  }
}

async function makeIn(
  parts: MakerParts,
  collection: Collection,
  name: string,
  attempt: string,
  context: JobContext,
): Promise<void> {
  await beginAttempt(collection, name, attempt);
  const release = await releaseNamed(collection, name);
  if (release.schema !== collection.schema.digest)
    throw new ReleaseFailedError('The schema was changed before the release was made.');
  const made = await new ReleaseWriter(parts, collection, release, context).write();
  // Entries that were removed meanwhile may have been of this state.
  await curatedAt(collection, release.revision);
  await commitAttempt(collection, release, (draft) => endAttempt(draft, collection, release, { made }));
}

/** @throws ServiceError `storage_full` */
async function requireRoom({ database, root }: MakerParts): Promise<void> {
  if (database.dialect.name !== 'sqlite') return;
  const { bavail, bsize } = await statfs(root);
  if (bavail * bsize < LEFT_TO_OTHERS)
    throw new ServiceError('storage_full', 'The disk of the store has too little room for a release.');
}

/** The files of one release, while they are written. */
class ReleaseWriter {
  readonly #parts: MakerParts;
  readonly #collection: Collection;
  readonly #release: Release;
  readonly #context: JobContext;
  readonly #archive: ArchiveWriter;
  readonly #files: ReleaseFile[] = [];
  #progress = { done: 0, total: 0 };

  constructor(parts: MakerParts, collection: Collection, release: Release, context: JobContext) {
    this.#parts = parts;
    this.#collection = collection;
    this.#release = release;
    this.#context = context;
    this.#archive = new ArchiveWriter(release.attempt, new Date(release.time), async (add) => {
      await requireRoom(parts);
      await commitAttempt(collection, release, (draft) => {
        add(draft);
        noteProgress(draft, collection, release.name, this.#progress);
      });
    });
  }

  async write(): Promise<ReleaseContents> {
    const { schema } = this.#collection;
    const view = await curatedAt(this.#collection, this.#release.revision);
    const records = await view.count({});
    const former = await lastRelease(this.#collection);
    this.#progress = { done: 0, total: records * (former ? 3 : 2) };
    const changes = former ? await this.#addChanges(former) : null;
    await this.#add('records.jsonl', this.#documents('json'));
    await this.#add('records.nq', this.#documents('nq'));
    await this.#add('schema.yaml', [dumpYaml(schema.merged())]);
    await this.#add('context.jsonld', [JSON.stringify(jsonldContext(schema).context)]);
    const title = titleOfCollection(schema, {
      publishing: this.#release.publish,
      collection: this.#collection.name,
    });
    await this.#add(METADATA_FILE, [crateMetadata(title, this.#release, records, this.#files)]);
    const { size, digest } = await this.#archive.end();
    return { records, changes, files: this.#files, size, digest };
  }

  async #add(path: FileName, lines: AsyncIterable<string> | Iterable<string>): Promise<void> {
    const file = await this.#archive.add(path, lines);
    this.#files.push({ ...file, mediaType: FILES[path].mediaType });
  }

  async #addChanges({ name, attempt, made }: Release): Promise<ReleaseChanges> {
    const { database } = this.#parts;
    const counts = { created: 0, replaced: 0, deleted: 0 };
    const before = made!.files.find(({ path }) => path === 'records.jsonl')!;
    const changes = changesBetween(linesOf(archivedContent(database, attempt, before)), this.#records());
    const counted = async function* () {
      for await (const change of changes) {
        counts[change.kind] += 1;
        yield JSON.stringify(change);
      }
    };
    await this.#add('changes.jsonl', counted());
    return { since: name, ...counts };
  }

  #documents(format: FormatName): AsyncIterable<string> {
    return documentsOrNotesOf(this.#parts.pool, this.#collection.schema, this.#records(), format);
  }

  async *#records(): AsyncGenerator<ListedRecord> {
    const view = await curatedAt(this.#collection, this.#release.revision);
    for await (const record of view.scan({})) {
      yield record;
      this.#progress = { ...this.#progress, done: this.#progress.done + 1 };
      this.#context.progress(this.#progress.done, this.#progress.total);
      await this.#context.yieldIfDue();
      if (this.#context.stopping) throw new StoppingError();
    }
  }
}

/** A line of `records.jsonl`. */
type Line = { readonly pid: string; readonly json: string };

type ReleaseChange = {
  readonly kind: 'created' | 'replaced' | 'deleted';
  readonly pid: string;
};

/** The records in a `records.jsonl`. */
async function* linesOf(file: Readable): AsyncGenerator<Line> {
  let rest = '';
  for await (const chunk of file.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const json of lines) yield { pid: (JSON.parse(json) as Line).pid, json };
  }
}

/** The changes that lead from one list of records to another one, both in pid order. */
async function* changesBetween(
  former: AsyncIterable<Line>,
  present: AsyncIterable<Line>,
): AsyncGenerator<ReleaseChange> {
  const before = former[Symbol.asyncIterator]();
  let { value: old } = await before.next();
  for await (const { pid, json } of present) {
    while (old && compareCodePoints(old.pid, pid) < 0) {
      yield { kind: 'deleted', pid: old.pid };
      ({ value: old } = await before.next());
    }
    if (old?.pid !== pid) yield { kind: 'created', pid };
    else {
      if (old.json !== json) yield { kind: 'replaced', pid };
      ({ value: old } = await before.next());
    }
  }
  for (; old; { value: old } = await before.next()) yield { kind: 'deleted', pid: old.pid };
}
