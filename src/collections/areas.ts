/**
 * The three kinds of areas. The user area reads its own zone over curated and writes through the submission pipeline; the
 * curated area and the zones take one record as it is.
 */
import type { Grant } from '../access/grant.ts';
import { ServiceError } from '../errors.ts';
import { type Condition, expectationIn, revisionsIn, type Version } from '../records/condition.ts';
import { checkRecord, type RecordText, recordText, resolvePid } from '../records/record.ts';
import { submit } from '../records/submit.ts';
import type { Actor, Expectation, RecordStore } from '../storage/store.ts';
import type { Area, Sink, Source } from './area.ts';
import type { Collection } from './collection.ts';

/** What a token reads and writes without curation rights (specification 4.1). */
export function userArea(collection: Collection, grant: Grant): Area {
  const { readCurated, writeZone } = grant.permissions;
  // Where there are no zones, what is left to read is the curated area.
  const readZone = grant.permissions.readZone && collection.zones.exist;
  const label = grant.label ?? '';
  return {
    path: '',
    classesOf: (className) => collection.schema.descendants(className),
    async source() {
      if (!readCurated && !readZone) {
        throw refused(
          `A token with more rights is needed to read records of the collection '${collection.name}'.`,
        );
      }
      const curated = storeSource(collection.curated, collection.placeOf(''));
      if (!readZone) return curated;
      const zone = await collection.zones.open(label);
      const own = storeSource(zone.store, collection.placeOf(label));
      if (!readCurated || zone.isCurated) return own;
      return {
        name: `${own.name} over ${curated.name}`,
        view: zone.overCurated,
        find: async (iri) => (await own.find(iri)) ?? curated.find(iri),
      };
    },
    async sink(purpose) {
      if (!writeZone)
        throw refused(
          `A token with more rights is needed to ${purpose} the collection '${collection.name}'.`,
        );
      const zone = await collection.zones.open(label);
      return submissionSink(collection, grant, zone.store, readCurated ? collection.curated : undefined);
    },
  };
}

/**
 * The curated area, for curators (specification 4.2).
 *
 * @param authorId on whose behalf records are changed, for the audit log; the curator's own id without one
 */
export function curatedArea(collection: Collection, grant: Grant, authorId?: string): Area {
  const by = actorOf(grant, authorId);
  return directArea(collection, by, '/curated', collection.placeOf(''), async () => {
    if (!grant.permissions.curate) {
      throw refused(
        `The curated area of the collection '${collection.name}' is for curators, and this is no curator's token.`,
      );
    }
    return collection.curated;
  });
}

/**
 * One incoming zone, for curators (specification 4.2).
 *
 * @throws ServiceError `label_unknown` from `source` and `sink`
 */
export function incomingArea(collection: Collection, grant: Grant, label: string): Area {
  const zone = async () => {
    requireZoneAccess(collection, grant);
    if (!(await collection.zones.has(label))) {
      throw new ServiceError(
        'label_unknown',
        `The collection '${collection.name}' has no incoming zone '${label}'.`,
      );
    }
    return collection.zones.open(label);
  };
  const area = directArea(
    collection,
    actorOf(grant),
    `/incoming/${label}`,
    collection.placeOf(label),
    async () => (await zone()).store,
  );
  return {
    ...area,
    async source() {
      const { emptying } = await zone();
      return { ...(await area.source()), emptying: emptying.underWay };
    },
    async sink(purpose) {
      const { emptying } = await zone();
      const sink = await area.sink(purpose);
      return {
        ...sink,
        async remove(pid, condition) {
          await sink.remove(pid, condition);
          emptying.noteDelete();
        },
      };
    },
  };
}

/** Who a token writes as. */
function actorOf({ userId, permissions }: Grant, authorId = userId): Actor {
  return { committer: userId, author: authorId, role: permissions.curate ? 'curator' : 'submitter' };
}

/** @throws ServiceError `permission_missing` */
export function requireZoneAccess(collection: Collection, grant: Grant): void {
  if (!grant.permissions.curate) {
    throw refused(
      `The incoming zones of the collection '${collection.name}' are for curators, and this is no curator's token.`,
    );
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('permission_missing', message);
}

/** Low-level access: a list of a class holds exactly that class, a record is written as it is. */
function directArea(
  collection: Collection,
  by: Actor,
  path: string,
  place: string,
  open: () => Promise<RecordStore>,
): Area {
  return {
    path,
    classesOf: (className) => [className],
    source: async () => storeSource(await open(), place),
    async sink() {
      const store = await open();
      return {
        prepare: (className, value) => [
          recordText(collection.schema, checkRecord(collection.schema, className, value)),
        ],
        write: (records, condition) =>
          put(store, by, place, records, condition && expectationIn(place, condition)),
        remove: (pid, condition) => remove(collection, store, by, place, pid, condition),
      };
    },
  };
}

/** Writes into the zone of a token. */
function submissionSink(
  collection: Collection,
  grant: Grant,
  zone: RecordStore,
  curated: RecordStore | undefined,
): Sink {
  const place = collection.placeOf(grant.label ?? '');
  const by = actorOf(grant);
  return {
    prepare(className, value, { addSubmissionTag }) {
      const submission = { userId: grant.userId, time: new Date(), tags: collection.submissionTags };
      return submit(collection.schema, className, value, addSubmissionTag ? submission : undefined);
    },
    async write(records, condition) {
      const first = records[0];
      if (first === undefined) return [];
      const expect = condition && (await expectationOver(first.iri, condition));
      return put(zone, by, place, records, expect);
    },
    remove: (pid, condition) => remove(collection, zone, by, place, pid, condition),
  };

  /**
   * The user sees a curated record where the zone has none, so the condition may be about that one: then it must hold
   * for the curated record, and the zone must have none still when the record is written.
   */
  async function expectationOver(iri: string, condition: Condition): Promise<Expectation> {
    const seen = (await zone.get(iri)) ? undefined : await curated?.get(iri);
    if (!seen) return expectationIn(place, condition);
    const revisions =
      condition.kind === 'version'
        ? revisionsIn(collection.placeOf(''), condition.versions)
        : [seen.revision];
    if (condition.kind === 'absent' || !revisions.includes(seen.revision)) {
      throw new ServiceError('precondition_failed', `The record '${seen.pid}' is not in the expected state.`);
    }
    return { absent: true };
  }
}

function storeSource(store: RecordStore, place: string): Source {
  return {
    name: place,
    view: store,
    async find(iri) {
      const record = await store.get(iri);
      return record && { record, version: { place, revision: record.revision } };
    },
  };
}

async function put(
  store: RecordStore,
  by: Actor,
  place: string,
  records: readonly RecordText[],
  expect: Expectation | undefined,
): Promise<Version[]> {
  const changes = records.map((text, index) =>
    index === 0 && expect ? { put: text, expect } : { put: text },
  );
  const results = await store.write(changes, by);
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
    throw new ServiceError('record_missing', `There is no record with the pid '${pid}' in this area.`);
  }
}
