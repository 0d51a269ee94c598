/**
 * The three kinds of areas. The user area reads its own zone over curated and writes through the submission pipeline; the
 * curated area and the zones store one record as it is.
 */
import type { Grant } from '../access/grant.ts';
import { ServiceError } from '../errors.ts';
import {
  type Condition,
  expectationIn,
  preconditionFailed,
  revisionsIn,
  type Version,
} from '../records/condition.ts';
import { readAll, readPage } from '../records/page.ts';
import {
  checkRecord,
  EMPTY_VIEW,
  type RecordText,
  type RecordView,
  recordText,
  resolvePid,
} from '../records/record.ts';
import { submit } from '../records/submit.ts';
import { type Said, submissionChanges } from '../review/base.ts';
import type { Schema } from '../schema/schema.ts';
import type { Actor, Change, Expectation, RecordStore, Selection } from '../storage/store.ts';
import type { Action, Area, Found, Selected } from './area.ts';
import type { Collection } from './collection.ts';
import type { Zone } from './zones.ts';

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
  async function reading(): Promise<Reading> {
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
      find: async (iri) => (await own.find(iri)) ?? curated.find(iri),
    };
  }

  return {
    path: '',
    require,
    ...readable(collection, '', reading, (className) => collection.schema.descendants(className)),
    async validate(className, value, { addSubmissionTag = false } = {}) {
      await require('validate');
      const submission = { userId: grant.userId, time: new Date(), tags: collection.submissionTags };
      return submit(collection.schema, className, value, addSubmissionTag ? submission : undefined);
    },
    async store(records, condition, said) {
      await require('store');
      const [first] = records;
      if (first === undefined) return [];
      const zone = await collection.zones.open(label);
      const place = collection.placeOf(label);
      const curated = readCurated ? collection.curated : undefined;
      const expect = condition && (await expectationOver(collection, zone, curated, first.iri, condition));
      return put(zone.store, by, place, await changesIn(collection, zone, by, records, said), expect);
    },
    async remove(pid, condition) {
      await require('remove');
      const zone = await collection.zones.open(label);
      await remove(collection, zone.store, by, collection.placeOf(label), pid, condition);
    },
    async removeMany(pids, allOrNothing) {
      await require('remove');
      return removeMany(collection, (await collection.zones.open(label)).store, by, pids, allOrNothing);
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
      return [recordText(collection.schema, checkRecord(collection.schema, className, value))];
    },
    store: async (records, condition) =>
      put(open(), by, place, plainChanges(records), condition && expectationIn(place, condition)),
    remove: async (pid, condition) => remove(collection, open(), by, place, pid, condition),
    removeMany: async (pids, allOrNothing) => removeMany(collection, open(), by, pids, allOrNothing),
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
  const reading = async (): Promise<Reading> => {
    await check();
    const zone = await collection.zones.existing(label);
    if (!zone) return nothing(place);
    return { ...readingOf(zone.store, place), emptying: zone.emptying.inProgress };
  };
  return {
    path: `/incoming/${label}`,
    require: check,
    ...readable(collection, `/incoming/${label}`, reading),
    async validate(className, value) {
      requireCurator(collection.name, 'incoming zones', grant);
      return [recordText(collection.schema, checkRecord(collection.schema, className, value))];
    },
    async store(records, condition, said) {
      const zone = await open();
      const changes = await changesIn(collection, zone, by, records, said);
      return put(zone.store, by, place, changes, condition && expectationIn(place, condition));
    },
    async remove(pid, condition) {
      const zone = await open();
      await remove(collection, zone.store, by, place, pid, condition);
      zone.emptying.noteDelete();
    },
    async removeMany(pids, allOrNothing) {
      const zone = await open();
      const refusals = await removeMany(collection, zone.store, by, pids, allOrNothing);
      if (refusals.includes(undefined)) zone.emptying.noteDelete();
      return refusals;
    },
  };
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
  throw refused(`The ${what} of the collection '${collection}' ${verb} a curator token.`);
}

/** The refusal of a request to the user area. */
export function userRefused(action: Action, collection: string): ServiceError {
  return refused(`The token has no permission to ${DOING[action]} the collection '${collection}'.`);
}

const DOING: Readonly<Record<Action, string>> = {
  read: 'read records of',
  store: 'submit to',
  validate: 'validate records for',
  remove: 'delete records from',
};

function refused(message: string): ServiceError {
  return new ServiceError('permission_missing', message);
}

function labelUnknown(collection: string, label: string): ServiceError {
  return new ServiceError('label_unknown', `The collection '${collection}' has no incoming zone '${label}'.`);
}

/** The records of an area as they are read. */
type Reading = {
  /** Identifies the stores among those of the collection. */
  readonly place: string;
  readonly view: RecordView;
  find(iri: string): Promise<Found | undefined>;
  /** Whether a page past the end holds the last records, see `emptying.ts`. */
  readonly emptying?: boolean;
};

function readingOf(store: RecordStore, place: string): Reading {
  return {
    place,
    view: store,
    async find(iri) {
      const record = await store.get(iri);
      return record && { record, version: { place, revision: record.revision } };
    },
  };
}

/** What is read of an area that does not exist yet. */
function nothing(place: string): Reading {
  return { place, view: EMPTY_VIEW, find: async () => undefined };
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
  open: () => Promise<Reading>,
  classesOf: (className: string) => readonly string[] = (className) => [className],
): Pick<Area, 'read' | 'list' | 'page' | 'scan' | 'state'> {
  const selection = ({ className, matching }: Selected): Selection => ({
    classes: className === undefined ? undefined : classesOf(className),
    matching,
  });
  return {
    async read(pid) {
      const { find } = await open();
      return find(resolvePid(collection.schema, pid));
    },
    async list(selected, limit) {
      const { view } = await open();
      const paged = `/${collection.name}${path}/records/p/${selected.className ?? ''}`;
      return readAll(view, selection(selected), limit, paged);
    },
    async page(selected, page, size) {
      const { view, emptying } = await open();
      return readPage(view, selection(selected), page, size, emptying);
    },
    scan: async (selected) => (await open()).view.scan(selection(selected)),
    async state() {
      const { place, view, emptying } = await open();
      return emptying ? undefined : `${place} ${await view.revision()}`;
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

async function put(
  store: RecordStore,
  by: Actor,
  place: string,
  changes: readonly Change[],
  expect: Expectation | undefined,
): Promise<Version[]> {
  const [first, ...others] = changes;
  const expected = first && expect ? [{ ...first, expect }, ...others] : changes;
  const results = await store.write(expected, by);
  return results.map(({ revision }) => ({ place, revision }));
}

async function remove(
  collection: Collection,
  store: RecordStore,
  by: Actor,
  place: string,
  pid: string,
  condition: Condition | undefined,
): Promise<void> {
  const iri = resolvePid(collection.schema, pid);
  try {
    await store.write([{ delete: iri, expect: condition && expectationIn(place, condition) }], by);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'record_missing') throw error;
    throw recordMissing(pid);
  }
}

/** How often a delete is repeated whose records another client deletes meanwhile. */
const ATTEMPTS = 5;

async function removeMany(
  { schema }: Collection,
  store: RecordStore,
  by: Actor,
  pids: readonly string[],
  allOrNothing: boolean,
): Promise<(ServiceError | undefined)[]> {
  const iris = pids.map((pid) => iriOrRefusal(schema, pid));
  const known = iris.filter((iri) => typeof iri === 'string');
  for (let attempt = 1; ; attempt++) {
    const present = new Set((await store.present(known)).map(({ iri }) => iri));
    const refusals = iris.map((iri, index) => {
      if (typeof iri !== 'string') return iri;
      return present.has(iri) ? undefined : recordMissing(pids[index] ?? '');
    });
    const isRefused = allOrNothing && refusals.some((refusal) => refusal !== undefined);
    if (isRefused || present.size === 0) return refusals;
    try {
      await store.write(
        [...present].map((iri) => ({ delete: iri })),
        by,
      );
      return refusals;
    } catch (error) {
      const isGone = error instanceof ServiceError && error.code === 'record_missing';
      if (!isGone || attempt === ATTEMPTS) throw error;
    }
  }
}

function iriOrRefusal(schema: Schema, pid: string): string | ServiceError {
  try {
    return resolvePid(schema, pid);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function recordMissing(pid: string): ServiceError {
  return new ServiceError('record_missing', `This area has no record with the pid '${pid}'.`);
}
