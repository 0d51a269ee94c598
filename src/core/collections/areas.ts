/**
 * The three kinds of areas. The user area reads its own zone over curated and writes through the submission pipeline; the
 * curated area and the zones store one record as it is.
 */
import type { Grant } from '../access/grant.ts';
import { fewAtOnce } from '../batches.ts';
import { isServiceError, orRefusal, type ServiceError } from '../errors.ts';
import {
  byRevision,
  byText,
  type Condition,
  expectationFor,
  expectationIn,
  preconditionFailed,
  versionAmong,
} from '../records/condition.ts';
import type { RecordText } from '../records/record.ts';
import { type SubmissionMode, validateObject } from '../records/submit.ts';
import type { Actor, Expectation, RecordStore } from '../storage/store.ts';
import type { Visibility } from '../storage/visibility.ts';
import { requireExpected } from '../storage/write/records.ts';
import type { Action, Area, SubmissionMetadata, SubmissionOptions } from './area.ts';
import {
  type AreaReading,
  areaReads,
  EMPTY_READING,
  type ReadKind,
  readingOf,
  revisionText,
} from './area-reading.ts';
import { readingAt } from './as-of.ts';
import type { Collection } from './collection.ts';
import { isBeingEmptied, removeMany, removeRecord, withoutReferrers } from './delete-records.ts';
import { NO_HINTS } from './part.ts';
import { requireCurator, userRefused } from './refusals.ts';
import { readSettings } from './settings.ts';
import { storeMany, submittedChanges } from './store-records.ts';

/** The differences between the kinds of areas. */
type Kind = ReadKind & {
  /** The zone that is written; undefined for the curated area. */
  readonly label: string | undefined;
  /** Who writes. */
  readonly by: Actor;
  /** Throws `permission_missing`, `label_unknown`. */
  require(action: Action): Promise<void>;
  /** Opens the records for reading; the permission was checked. */
  reading(): Promise<AreaReading>;
  /** The records of a store that the caller sees. */
  seen(store: RecordStore): Promise<RecordStore>;
  visibility(): Visibility | undefined;
  /** Whether the caller may name a state by its revision: revisions count changes, also those that policies hide. */
  knowsRevisions(): boolean;
  mode(options?: SubmissionOptions): SubmissionMode;
  /** Translates a condition on a record into an expectation of the store that is written. */
  expect(
    store: RecordStore,
    record: Pick<RecordText, 'iri' | 'pid'>,
    condition: Condition,
  ): Promise<Expectation>;
  /** Whether hints may be about the curated area, and whether the answer says how many refer to a deleted record. */
  readonly seesCurated: boolean;
  readonly seesReferrers: boolean;
};

/** The curated area and the zones of curators store one record as it is. */
const AS_IT_IS: SubmissionMode = { split: false };

/** The area of a token without curation rights (specification 4.1). */
export function userArea(collection: Collection, grant: Grant): Area {
  const { readCurated, writeZone } = grant.permissions;
  const visibility = () => collection.visibilityOf(grant);
  const seen = (store: RecordStore) => collection.seen(store, visibility());
  // Without zones, only the curated area can be read.
  const readZone = grant.permissions.readZone && collection.zones.exist;
  const label = grant.label ?? '';
  const [scope, curatedScope] = [collection.scopeOf(label), collection.scopeOf('')];
  return areaOfKind(collection, {
    path: '',
    label,
    by: actor(grant, 'submitter'),
    seesCurated: readCurated,
    seesReferrers: readZone,
    classesOf: (className) => collection.schema.descendants(className),
    async require(action) {
      if (action === 'read' ? !readCurated && !readZone : !writeZone)
        throw userRefused(action, collection.name, grant);
      visibility();
    },
    seen,
    visibility,
    knowsRevisions: () => grant.permissions.curate || visibility() === undefined,
    versionOf: byText,
    async reading() {
      const curated = { store: await seen(collection.curated), scope: curatedScope };
      const zone = readZone ? await collection.zones.existing(label) : undefined;
      if (!zone) return readCurated ? readingOf(curated) : EMPTY_READING;
      const own = { store: await seen(zone.store), scope };
      if (!readCurated || zone.isCurated) return readingOf(own);
      return { view: zone.overCurated(visibility()), parts: [own, curated] };
    },
    mode({ addSubmissionTag = false } = {}) {
      if (!addSubmissionTag) return { split: true };
      const { userId } = grant;
      return { split: true, submission: { userId, time: new Date(), tags: collection.submissionTags } };
    },
    /**
     * The user sees a curated record if the zone has none, so the condition may refer to that one: then it must be true of
     * the curated record, and the zone must still have none when the record is written.
     */
    async expect(store, { iri, pid }, condition) {
      const visible = await seen(store);
      const own = await visible.get(iri);
      if (own) return expectationIn(scope, condition, own);
      const hidden = visible === store ? undefined : await store.get(iri);
      const curated = readCurated ? await (await seen(collection.curated)).get(iri) : undefined;
      if (curated) {
        const isExpected =
          condition.kind === 'present' ||
          (condition.kind === 'version' &&
            versionAmong(condition.versions, curatedScope, curated) !== undefined);
        if (!isExpected) throw preconditionFailed(pid);
      } else if (!hidden) return expectationIn(scope, condition, undefined);
      else requireExpected(expectationIn(scope, condition, undefined), undefined, pid);
      // A record of the zone that the user does not see is replaced.
      return hidden ? { revisions: [hidden.revision] } : { absent: true };
    },
  });
}

/**
 * The curated area, for curators (specification 4.2).
 *
 * @param authorId on whose behalf records are changed, for the audit log; the curator's own id without one
 */
export function curatedArea(collection: Collection, grant: Grant, authorId?: string): Area {
  const scope = collection.scopeOf('');
  return areaOfKind(collection, {
    ...plainArea(scope),
    path: '/curated',
    label: undefined,
    by: actor(grant, 'curator', authorId),
    require: async () => requireCurator(collection.name, 'curated area', grant),
    reading: async () => readingOf({ store: collection.curated, scope }),
  });
}

/** One incoming zone, for curators (specification 4.2). */
export function incomingArea(collection: Collection, grant: Grant, label: string): Area {
  const scope = collection.scopeOf(label);
  return areaOfKind(collection, {
    ...plainArea(scope),
    path: `/incoming/${label}`,
    label,
    by: actor(grant, 'curator'),
    // A store makes the zone; before, it has no records.
    async require() {
      requireCurator(collection.name, 'incoming zones', grant);
      collection.zones.check(label);
    },
    async reading() {
      const zone = await collection.zones.existing(label);
      if (!zone) return EMPTY_READING;
      return { ...readingOf({ store: zone.store, scope }), isEmptying: () => isBeingEmptied(zone.store) };
    },
  });
}

/** The common part of the areas of curators. */
function plainArea(scope: string): Omit<Kind, 'path' | 'label' | 'by' | 'require' | 'reading'> {
  return {
    seen: async (store) => store,
    visibility: () => undefined,
    knowsRevisions: () => true,
    versionOf: byRevision,
    mode: () => AS_IT_IS,
    classesOf: (className) => [className],
    expect: (store, { iri }, condition) => expectationFor(store, scope, condition, iri),
    seesCurated: true,
    seesReferrers: true,
  };
}

function areaOfKind(collection: Collection, kind: Kind): Area {
  const open = async () => {
    await kind.require('read');
    return kind.reading();
  };
  return {
    path: kind.path,
    visibility: () => kind.visibility(),
    require: (action) => kind.require(action),
    ...areaReads(collection, kind, open),
    async at(moment) {
      const { reading, source } = await readingAt(collection, await open(), moment);
      return { ...areaReads(collection, kind, async () => reading), ...source };
    },
    submissionMode: (options) => kind.mode(options),
    async validate(className, value, options, check) {
      await kind.require('validate');
      return validateObject(collection.schema, className, value, kind.mode(options), check);
    },
    async hints(items) {
      await kind.require('validate');
      const { hints } = collection;
      // Whether a curated record exists is for those to know who may read it.
      if (!kind.seesCurated || !hints) return items.map(() => NO_HINTS);
      return hints.of(
        items.map((records) => ({ records, label: kind.label })),
        kind.visibility(),
      );
    },
    ...areaStores(collection, kind),
    ...areaDeletes(collection, kind),
  };
}

/** Leaves out of a condition the states that the caller cannot know, only guess. */
function knownBy(kind: Kind, condition: Condition | undefined): Condition | undefined {
  return condition?.kind !== 'version' || kind.knowsRevisions()
    ? condition
    : { ...condition, versions: condition.versions.filter((version) => !('revision' in version)) };
}

/** The methods that store records. */
function areaStores(collection: Collection, kind: Kind): Pick<Area, 'store' | 'storeMany'> {
  const { label, by } = kind;
  const [scope, curatedScope] = [collection.scopeOf(label ?? ''), collection.scopeOf('')];
  const written = async () =>
    label === undefined ? collection.curated : (await collection.zones.open(label)).store;
  /**
   * Returns the version of the curated record that a condition of a zone names: the submission was made from it, whatever the curated
   * record is when it is stored. Of several, it is the one that the record has.
   */
  const curatedVersionIn = async (condition: Condition | undefined, iri: string) => {
    if (label === undefined || condition?.kind !== 'version') return undefined;
    const named = condition.versions.filter((version) => version.scope === curatedScope);
    if (named.length < 2) return named[0];
    const record = await (await kind.seen(collection.curated)).get(iri);
    return (record && versionAmong(named, curatedScope, record)) ?? named[0];
  };
  /** What is noted of a submission. What the client says that it is based on goes before what its condition names. */
  const noted = async (
    { basedOn, ...metadata }: SubmissionMetadata,
    condition: Condition | undefined,
    iri: string,
  ): Promise<SubmissionMetadata> => {
    const isGuessed = typeof basedOn === 'object' && 'revision' in basedOn && !kind.knowsRevisions();
    const base = isGuessed ? 'unresolved' : (basedOn ?? (await curatedVersionIn(condition, iri)));
    return { ...metadata, ...(base && { basedOn: base }) };
  };

  return {
    async store(records, given, metadata = {}) {
      await kind.require('store');
      const condition = knownBy(kind, given);
      const [first] = records;
      if (first === undefined) return { versions: [] };
      const store = await written();
      const expect = condition && (await kind.expect(store, first, condition));
      const changes = submittedChanges(records, await noted(metadata, condition, first.iri), expect);
      const { parts } = await kind.reading();
      const receipts = await collection.transact(async (draft) => {
        const written = await draft.write(store.area, changes, by);
        const readOf = ({ area }: RecordStore) => (area === store.area ? written : draft.revisionOf(area));
        return { written, read: parts.map((part) => readOf(part.store)) };
      });
      const { revisions } = receipts.written;
      return {
        versions: records.map(({ json }, at) => kind.versionOf(scope, { json, revision: revisions[at]! })),
        revision: revisionText(
          parts,
          receipts.read.map((receipt) => receipt.revisions.at(-1)!),
        ),
      };
    },
    async storeMany(items, allOrNothing, metadata = {}) {
      await kind.require('store');
      const store = await written();
      const known = await fewAtOnce(items, async (item) => {
        const condition = knownBy(kind, item.condition);
        return { ...item, condition, metadata: await noted(metadata, condition, item.records[0]?.iri ?? '') };
      });
      const expect = (record: RecordText, condition: Condition) => kind.expect(store, record, condition);
      const outcomes = await storeMany(collection, { store, by, expect }, known, allOrNothing);
      return outcomes.map((outcome, at) => {
        const json = items[at]!.records[0]?.json;
        if (typeof outcome !== 'number' || json === undefined) return outcome as ServiceError | undefined;
        return kind.versionOf(scope, { json, revision: outcome });
      });
    },
  };
}

/** The methods that delete records. */
function areaDeletes(collection: Collection, kind: Kind): Pick<Area, 'remove' | 'removeMany'> {
  const { label, by } = kind;
  /** Where deletes find records: nowhere in a zone that was never written to. */
  const from = async () => {
    const store = label === undefined ? collection.curated : (await collection.zones.existing(label))?.store;
    return { store: store && (await kind.seen(store)), scope: collection.scopeOf(label ?? ''), by };
  };
  /** Whether deletes are refused of records that others refer to. */
  const refusesReferenced = async () =>
    label === undefined && (await readSettings(collection)).on_delete === 'refuse';

  return {
    async remove(pid, condition, unreferenced) {
      await kind.require('remove');
      const isKept = unreferenced || (await refusesReferenced());
      const removed = removeRecord(collection, await from(), pid, knownBy(kind, condition), isKept);
      if (kind.seesReferrers) return removed;
      const outcome = withoutReferrers(await orRefusal(removed));
      if (isServiceError(outcome)) throw outcome;
      return outcome;
    },
    async removeMany(items, allOrNothing, unreferenced) {
      await kind.require('remove');
      const how = { allOrNothing, unreferenced: unreferenced || (await refusesReferenced()) };
      const known = items.map(({ pid, condition }) => ({ pid, condition: knownBy(kind, condition) }));
      const outcomes = await removeMany(collection, await from(), known, how);
      return kind.seesReferrers ? outcomes : outcomes.map(withoutReferrers);
    },
  };
}

export function curatorOf(grant: Grant, authorId?: string): Actor {
  return actor(grant, 'curator', authorId);
}

/** The actor of a write. Permissions elsewhere make no difference: a curator who submits is a submitter. */
function actor({ userId }: Grant, role: Actor['role'], authorId = userId): Actor {
  return { committer: userId, author: authorId, role };
}
