/**
 * The index of references for a store that does not keep one: in memory, filled in the background after each start. It
 * has the contract of {@link LinkIndex}, but for the transaction: two clients may delete a record and refer to it at once.
 */
import { recordReferenced } from './record-table.ts';
import type { Link, LinkIndex, LinkPosition, LinksOfRecord, RecordStore, Referrer } from './store.ts';

/** Adds the index to a store. */
export function withMemoryLinks(store: Omit<RecordStore, 'links'>): RecordStore {
  const index = memoryLinks(store);
  return {
    ...store,
    links: index,
    async write(changes, by, ledger) {
      for (const change of changes) {
        if (!('delete' in change) || !change.unreferenced) continue;
        const referrers = await index.to(change.delete, { offset: 0, limit: 100 });
        const number = await index.countTo(change.delete);
        if (referrers.length > 0) throw recordReferenced(change.delete, referrers, number);
      }
      return store.write(changes, by, ledger);
    },
  };
}

function memoryLinks(store: Omit<RecordStore, 'links'>): LinkIndex {
  const linksOf = new Map<string, readonly Link[]>();
  const referrersOf = new Map<string, Set<string>>();
  let position: LinkPosition = { key: '', revision: 0 };

  function set({ iri, links }: LinksOfRecord): void {
    for (const { iri: target } of linksOf.get(iri) ?? []) referrersOf.get(target)?.delete(iri);
    linksOf.set(iri, links);
    for (const { iri: target } of links) {
      const known = referrersOf.get(target) ?? new Set();
      referrersOf.set(target, known.add(iri));
    }
  }

  /** The records that refer to an IRI and are there. */
  async function keysTo(iri: string) {
    return store.present([...(referrersOf.get(iri) ?? [])].filter((one) => one !== iri));
  }

  async function to(iri: string): Promise<Referrer[]> {
    return (await keysTo(iri)).flatMap((key) =>
      (linksOf.get(key.iri) ?? [])
        .filter((link) => link.iri === iri)
        .map(({ slot, path }) => ({ ...key, slot, path })),
    );
  }

  return {
    from: async (iri) => ((await store.get(iri)) ? [...(linksOf.get(iri) ?? [])] : []),
    to: async (iri, { offset, limit }) => (await to(iri)).slice(offset, offset + limit),
    countTo: async (iri) => (await keysTo(iri)).length,
    async dangling() {
      const targets = [...referrersOf.keys()];
      const present = new Set((await store.present(targets)).map(({ iri }) => iri));
      const gone = targets.filter((iri) => !present.has(iri)).sort();
      const found = await Promise.all(
        gone.map(async (iri) => (await to(iri)).map((one) => ({ ...one, to: iri }))),
      );
      return { references: found.flat() };
    },
    position: async () => position,
    async fill(records, next) {
      for (const one of records) set(one);
      position = next;
    },
  };
}
