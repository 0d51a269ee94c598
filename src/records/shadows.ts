/**
 * Which curated records are *shadowed*: a zone has a record with the same IRI. Totals and pages of the overlay rest on
 * it, so it is kept, not looked up: it follows the changes of both areas by their revisions.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordKey, RecordStore, StoredChange } from '../storage/store.ts';

/** Changes that are followed in one step. */
const CHANGES_AT_ONCE = 1000;

/** Cheap to make; the first {@link follow} goes through all changes of the zone. */
export class Shadows {
  readonly #zone: RecordStore;
  readonly #curated: RecordStore;
  readonly #changed: (area: 'zone' | 'curated') => void;
  readonly #byIri = new Map<string, RecordKey>();
  #zoneRevision = 0;
  #zoneIsEmpty = true;
  /** Curated changes are followed while the zone holds anything. */
  #curatedRevision: number | undefined;
  /** The last update; updates take turns. */
  #following: Promise<void> = Promise.resolve();
  /** An update that has not begun: those who ask for one meanwhile share it. */
  #next: Promise<void> | undefined;

  /** @param changed is called for each change of an area when it is followed */
  constructor(zone: RecordStore, curated: RecordStore, changed: (area: 'zone' | 'curated') => void) {
    this.#zone = zone;
    this.#curated = curated;
    this.#changed = changed;
  }

  /** Whether the zone holds nothing, so that nothing is shadowed. */
  get zoneIsEmpty(): boolean {
    return this.#zoneIsEmpty;
  }

  /** The IRIs of the shadowed records. */
  get iris(): readonly string[] {
    return [...this.#byIri.keys()];
  }

  /** Whether the curated record with this IRI is shadowed. */
  has(iri: string): boolean {
    return this.#byIri.has(iri);
  }

  /** The shadowed records of some classes, or of all. */
  keys(classes: readonly string[] | undefined): RecordKey[] {
    return [...this.#byIri.values()].filter((key) => classes?.includes(key.className) ?? true);
  }

  /** The revisions of the zone and of the curated area up to which changes have been followed. */
  get revisions(): readonly [zone: number, curated: number | undefined] {
    return [this.#zoneRevision, this.#curatedRevision];
  }

  /** Brings the shadowed records up to the last change of both areas. */
  follow(): Promise<void> {
    this.#next ??= this.#following.then(() => {
      this.#next = undefined;
      const step = this.#catchUp();
      this.#following = step.catch(() => undefined);
      return step;
    });
    return this.#next;
  }

  async #catchUp(): Promise<void> {
    if (await this.#isUpToDate()) return;
    // Before the zone is looked at, so that no curated change falls between the two.
    if (!this.#zoneIsEmpty) this.#curatedRevision ??= await this.#curated.revision();
    for await (const changes of changesOf(this.#zone, this.#zoneRevision)) {
      this.#curatedRevision ??= await this.#curated.revision();
      const stored = changes.filter((change) => change.kind === 'put').map(({ record }) => record.iri);
      const shadowed = new Map((await this.#curated.present(stored)).map((key) => [key.iri, key]));
      for (const change of changes) this.#note('zone', change, shadowed.get(changedIri(change)));
      this.#zoneRevision = revisionOf(changes.at(-1)!);
      this.#zoneIsEmpty = (await this.#zone.count({})) === 0;
    }
    if (this.#zoneIsEmpty) {
      this.#curatedRevision = undefined;
      return;
    }
    for await (const changes of changesOf(this.#curated, this.#curatedRevision ?? 0)) {
      const own = new Set((await this.#zone.present(changes.map(changedIri))).map((key) => key.iri));
      for (const change of changes) {
        this.#note(
          'curated',
          change,
          change.kind === 'put' && own.has(change.record.iri) ? recordKey(change.record) : undefined,
        );
      }
      this.#curatedRevision = revisionOf(changes.at(-1)!);
    }
  }

  async #isUpToDate(): Promise<boolean> {
    if ((await this.#zone.revision()) > this.#zoneRevision) return false;
    return this.#zoneIsEmpty || (await this.#curated.revision()) === this.#curatedRevision;
  }

  #note(area: 'zone' | 'curated', change: StoredChange, shadowed: RecordKey | undefined): void {
    this.#changed(area);
    if (shadowed) this.#byIri.set(shadowed.iri, shadowed);
    else this.#byIri.delete(changedIri(change));
  }
}

/**
 * All changes after a revision, in steps, between which other requests have their turn: each reads records, which may be
 * long. Costs one look at the counter if there are none.
 */
async function* changesOf(store: RecordStore, revision: number): AsyncIterable<StoredChange[]> {
  let seen = revision;
  for (let step = 0; (await store.revision()) > seen; step++) {
    if (step > 0) await nextTurn();
    const changes = await store.changesSince(seen, CHANGES_AT_ONCE);
    if (changes.length === 0) return;
    yield changes;
    seen = revisionOf(changes.at(-1)!);
  }
}

const changedIri = (change: StoredChange) => (change.kind === 'put' ? change.record.iri : change.iri);
const revisionOf = (change: StoredChange) =>
  change.kind === 'put' ? change.record.revision : change.revision;
const recordKey = ({ pid, iri, className }: RecordKey): RecordKey => ({ pid, iri, className });
