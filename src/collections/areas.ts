/**
 * The three kinds of areas. The user area reads its own zone over curated and writes through the submission pipeline; the
 * curated area and the zones store one record as it is.
 */
import type { Grant } from '../access/grant.ts';
import { ServiceError } from '../errors.ts';
import { mapInTurns } from '../jobs/turns.ts';
import {
  type Condition,
  expectationIn,
  preconditionFailed,
  revisionsIn,
  type Version,
} from '../records/condition.ts';
import { type Judging, judge } from '../records/judge.ts';
import { readAll, readPage } from '../records/page.ts';
import { EMPTY_VIEW, type RecordText, type RecordView } from '../records/record.ts';
import { type Said, submissionChanges } from '../review/base.ts';
import { movedTo } from '../stewardship/move.ts';
import { missingTargets } from '../stewardship/references.ts';
import { readSettings } from '../stewardship/settings.ts';
import type { Actor, Change, Expectation, RecordStore, Selection } from '../storage/store.ts';
import type { Action, Area, ReadRecord, Selected, SubmissionOptions } from './area.ts';
import type { Collection } from './collection.ts';
import { orRefusal, removeMany, removeRecord, withoutReferrers } from './delete-records.ts';
import { resolveIn } from './resolve-pid.ts';
import type { Zone } from './zones.ts';

/** The curated area and the zones of curators store one record as it is. */
const AS_IT_IS: Judging = { split: false };

/** What a token reads and writes without curation rights (specification 4.1). */
export function userArea(collection: Collection, grant: Grant): Area {
  const { readCurated, writeZone } = grant.permissions;
  // Without zones, what is left to read is the curated area.
  const readZone = grant.permissions.readZone && collection.zones.exist;
  const label = grant.label ?? '';
  const by = actor(grant, 'submitter');

  async function require(action: Action): Promise<void> {
    if (action === 'read' ? !readCurated && !readZone : !writeZone)
      throw userRefused(action, collection.name);
  }
  async function reading(): Promise<AreaReading> {
    await require('read');
    const curated = readingOf(collection.curated, collection.placeOf(''));
    if (!readZone) return curated;
    const zone = await collection.zones.existing(label);
    const place = collection.placeOf(label);
    if (!zone) return readCurated ? { ...curated, place: `${place} over ${curated.place}` } : nothing(place);
    const own = readingOf(zone.store, place);
    if (!readCurated || zone.isCurated) return own;
    return {
      place: `${own.place} over ${curated.place}`,
      view: zone.overCurated,
      stores: [zone.store, collection.curated],
      find: async (iri) => (await own.find(iri)) ?? curated.find(iri),
    };
  }

  function judging({ addSubmissionTag = false }: SubmissionOptions = {}): Judging {
    if (!addSubmissionTag) return { split: true };
    const { userId } = grant;
    return { split: true, submission: { userId, time: new Date(), tags: collection.submissionTags } };
  }

  return {
    path: '',
    require,
    ...readable(collection, '', reading, (className) => collection.schema.descendants(className)),
    async validate(className, value, options) {
      await require('validate');
      return judge(collection.schema, className, value, judging(options));
    },
    judging,
    async store(records, condition, said) {
      await require('store');
      const [first] = records;
      if (first === undefined) return [];
      const zone = await collection.zones.open(label);
      const place = collection.placeOf(label);
      const curated = readCurated ? collection.curated : undefined;
      const expect = condition && (await expectationOver(collection, zone, curated, first.iri, condition));
      return putRecord(zone.store, by, place, await changesIn(collection, zone, by, records, said), expect);
    },
    async remove(pid, condition, unreferenced) {
      await require('remove');
      const { store } = await collection.zones.open(label);
      const from = { store, place: collection.placeOf(label), by };
      const removed = removeRecord(collection, from, pid, condition, unreferenced);
      if (readZone) return removed;
      const outcome = withoutReferrers(await orRefusal(removed));
      if (outcome instanceof ServiceError) throw outcome;
      return outcome;
    },
    async missing(records) {
      await require('validate');
      const zone = collection.zones.exist ? [(await collection.zones.open(label)).store] : [];
      // Whether a curated record exists is for those to know who may read it.
      return readCurated ? missingFrom(records, [collection.curated, ...zone]) : [];
    },
    async removeMany(pids, allOrNothing, unreferenced) {
      await require('remove');
      const { store } = await collection.zones.open(label);
      const from = { store, place: collection.placeOf(label), by };
      const outcomes = await removeMany(collection, from, pids, { allOrNothing, unreferenced });
      return readZone ? outcomes : outcomes.map(withoutReferrers);
    },
  };
}

/**
 * The curated area, for curators (specification 4.2).
 *
 * @param authorId on whose behalf records are changed, for the audit log; the curator's own id without one
 */
export function curatedArea(collection: Collection, grant: Grant, authorId?: string): Area {
  const place = collection.placeOf('');
  const by = actor(grant, 'curator', authorId);
  function open(): RecordStore {
    requireCurator(collection.name, 'curated area', grant);
    return collection.curated;
  }
  return {
    path: '/curated',
    require: async () => requireCurator(collection.name, 'curated area', grant),
    ...readable(collection, '/curated', async () => readingOf(open(), place)),
    async validate(className, value) {
      requireCurator(collection.name, 'curated area', grant);
      return judge(collection.schema, className, value, AS_IT_IS);
    },
    judging: () => AS_IT_IS,
    store: async (records, condition) =>
      putRecord(open(), by, place, plainChanges(records), condition && expectationIn(place, condition)),
    async remove(pid, condition, unreferenced) {
      const from = { store: open(), place, by };
      const { on_delete } = await readSettings(from.store, collection.name);
      return removeRecord(collection, from, pid, condition, unreferenced || on_delete === 'refuse');
    },
    missing: async (records) => missingFrom(records, [open()]),
    async removeMany(pids, allOrNothing, unreferenced) {
      const from = { store: open(), place, by };
      const { on_delete } = await readSettings(from.store, collection.name);
      const how = { allOrNothing, unreferenced: unreferenced || on_delete === 'refuse' };
      return removeMany(collection, from, pids, how);
    },
  };
}

/** One incoming zone, for curators (specification 4.2). */
export function incomingArea(collection: Collection, grant: Grant, label: string): Area {
  const place = collection.placeOf(label);
  const by = actor(grant, 'curator');
  async function check(): Promise<void> {
    requireCurator(collection.name, 'incoming zones', grant);
    if (!(await collection.zones.has(label))) throw labelUnknown(collection.name, label);
  }
  async function open(): Promise<Zone> {
    await check();
    return collection.zones.open(label);
  }
  const reading = async (): Promise<AreaReading> => {
    await check();
    const zone = await collection.zones.existing(label);
    if (!zone) return nothing(place);
    return { ...readingOf(zone.store, place), isEmptying: () => zone.emptying.inProgress(zone.store) };
  };
  return {
    path: `/incoming/${label}`,
    require: check,
    ...readable(collection, `/incoming/${label}`, reading),
    async validate(className, value) {
      requireCurator(collection.name, 'incoming zones', grant);
      return judge(collection.schema, className, value, AS_IT_IS);
    },
    judging: () => AS_IT_IS,
    async store(records, condition, said) {
      const zone = await open();
      const changes = await changesIn(collection, zone, by, records, said);
      return putRecord(zone.store, by, place, changes, condition && expectationIn(place, condition));
    },
    async remove(pid, condition, unreferenced) {
      const { store, emptying } = await open();
      const removed = await removeRecord(collection, { store, place, by }, pid, condition, unreferenced);
      emptying.noteDelete();
      return removed;
    },
    missing: async (records) => missingFrom(records, [collection.curated, (await open()).store]),
    async removeMany(pids, allOrNothing, unreferenced) {
      const { store, emptying } = await open();
      const how = { allOrNothing, unreferenced };
      const outcomes = await removeMany(collection, { store, place, by }, pids, how);
      if (outcomes.some((outcome) => 'referrers' in outcome)) emptying.noteDelete();
      return outcomes;
    },
  };
}

/** As whom a curator writes. */
export function curatorOf(grant: Grant, authorId?: string): Actor {
  return actor(grant, 'curator', authorId);
}

/** As whom a token writes. What it may do elsewhere makes no difference: a curator who submits is a submitter. */
function actor({ userId }: Grant, role: Actor['role'], authorId = userId): Actor {
  return { committer: userId, author: authorId, role };
}

/** The labels of all incoming zones, sorted, for curators. @throws ServiceError `permission_missing` */
export async function zoneLabels(collection: Collection, grant: Grant): Promise<string[]> {
  requireCurator(collection.name, 'incoming zones', grant);
  return collection.zones.labels();
}

/** @throws ServiceError `permission_missing` */
export function requireCurator(
  collection: string,
  what: 'curated area' | 'incoming zones',
  grant: Grant,
): void {
  if (grant.permissions.curate) return;
  const verb = what === 'curated area' ? 'requires' : 'require';
  throw accessRefused(`The ${what} of the collection '${collection}' ${verb} a curator token.`);
}

/** The refusal of a request to the user area. */
export function userRefused(action: Action, collection: string): ServiceError {
  return accessRefused(`The token has no permission to ${DOING[action]} the collection '${collection}'.`);
}

const DOING: Readonly<Record<Action, string>> = {
  read: 'read records of',
  store: 'submit to',
  validate: 'validate records for',
  remove: 'delete records from',
};

function accessRefused(message: string): ServiceError {
  return new ServiceError('permission_missing', message);
}

function labelUnknown(collection: string, label: string): ServiceError {
  return new ServiceError('label_unknown', `The collection '${collection}' has no incoming zone '${label}'.`);
}

/** The records of an area as they are read. */
type AreaReading = {
  /** Identifies the stores among those of the collection. */
  readonly place: string;
  readonly view: RecordView;
  /** The stores behind it, the first one first. */
  readonly stores: readonly RecordStore[];
  find(iri: string): Promise<ReadRecord | undefined>;
  /** Whether a page past the end holds the last records, see `recent-deletes.ts`. */
  isEmptying?(): Promise<boolean>;
};

function readingOf(store: RecordStore, place: string): AreaReading {
  return {
    place,
    view: store,
    stores: [store],
    async find(iri) {
      const record = await store.get(iri);
      return record && { record, version: { place, revision: record.revision } };
    },
  };
}

/** What is read of an area that does not exist yet. */
function nothing(place: string): AreaReading {
  return { place, view: EMPTY_VIEW, stores: [], find: async () => undefined };
}

/**
 * The reading methods of an area.
 *
 * @param open checks the permission
 * @param classesOf the classes that a list of one class includes
 */
function readable(
  collection: Collection,
  path: string,
  open: () => Promise<AreaReading>,
  classesOf: (className: string) => readonly string[] = (className) => [className],
): Pick<Area, 'read' | 'list' | 'page' | 'scan' | 'state'> {
  const selection = ({ className, matching }: Selected): Selection => ({
    classes: className === undefined ? undefined : classesOf(className),
    matching,
  });
  return {
    async read(pid) {
      const { find, stores } = await open();
      const iri = await resolveIn(collection.schema, stores, pid);
      const found = await find(iri);
      const to =
        found || !stores.includes(collection.curated) ? undefined : await movedTo(collection.curated, iri);
      const moved = to === undefined ? undefined : await find(to);
      return found ?? (moved && { ...moved, moved: true });
    },
    async list(selected, limit) {
      const { view } = await open();
      const paged = `/${collection.name}${path}/records/p/${selected.className ?? ''}`;
      return readAll(view, selection(selected), limit, paged);
    },
    async page(selected, page, size) {
      const { view, isEmptying } = await open();
      return readPage(view, selection(selected), page, size, await isEmptying?.());
    },
    scan: async (selected) => (await open()).view.scan({ ...selection(selected), words: selected.words }),
    async state() {
      const { place, view, isEmptying } = await open();
      return (await isEmptying?.()) ? undefined : `${place} ${await view.revision()}`;
    },
  };
}

/**
 * The user sees a curated record if the zone has none, so the condition may refer to that one: then it must be true of
 * the curated record, and the zone must still have none when the record is written.
 */
async function expectationOver(
  collection: Collection,
  zone: Zone,
  curated: RecordStore | undefined,
  iri: string,
  condition: Condition,
): Promise<Expectation> {
  const seen = (await zone.store.get(iri)) ? undefined : await curated?.get(iri);
  if (!seen) return expectationIn(collection.placeOf(zone.label), condition);
  const revisions =
    condition.kind === 'version' ? revisionsIn(collection.placeOf(''), condition.versions) : [seen.revision];
  if (condition.kind === 'absent' || !revisions.includes(seen.revision)) throw preconditionFailed(seen.pid);
  return { absent: true };
}

/** The changes that store records in a zone: with what their review has to know, if it is one that is reviewed. */
function changesIn(
  collection: Collection,
  { store, isCurated }: Zone,
  { role }: Actor,
  records: readonly RecordText[],
  said: Said = {},
): Promise<readonly Change[]> {
  if (isCurated) return Promise.resolve(plainChanges(records));
  const { schema, submissionTags: tags, curated } = collection;
  const context = {
    ...{ schema, tags, zone: store, curated, curatedPlace: collection.placeOf('') },
    etagOf: (revision: number) => collection.etagOf('', revision),
  };
  return submissionChanges(context, records, said, role === 'submitter' ? 'submitter' : 'curator');
}

function plainChanges(records: readonly RecordText[]): Change[] {
  return records.map((text) => ({ put: text }));
}

async function putRecord(
  store: RecordStore,
  by: Actor,
  place: string,
  changes: readonly Change[],
  expect: Expectation | undefined,
): Promise<Version[]> {
  const [first, ...others] = changes;
  const expected = first && expect ? [{ ...first, expect }, ...others] : changes;
  const results = await store.write(expected, by);
  return mapInTurns(results, ({ revision }) => ({ place, revision }));
}

function missingFrom(records: readonly RecordText[], stores: readonly RecordStore[]): Promise<string[]> {
  const links = records.flatMap((record) => record.links ?? []);
  return missingTargets(
    links,
    stores,
    records.map(({ iri }) => iri),
  );
}
