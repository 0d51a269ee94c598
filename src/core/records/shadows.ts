/**
 * Which curated records are *shadowed*: a zone has a record with the same IRI. Totals and pages of the overlay rest on
 * it, so it is kept: it follows the entries of both areas.
 */
import { inTurn } from '../in-turn.ts';
import type { Database } from '../storage/database.ts';
import { compareKeys, type RecordKey, type RecordStore } from '../storage/store.ts';

export type ShadowState = {
  /** The revisions of the zone and of the curated area; none if what lies over curated has no revisions. */
  readonly revisions?: readonly [zone: number, curated: number];
  /** The shadowed records, in order. */
  readonly keys: readonly RecordKey[];
};

type ShadowRow = [pid: string, iri: string, className: string, own: string, curated: string];
const SHADOW = 'c.pid, c.iri, c.class_name, z.policy, c.policy';

/** With more changes than this, everything is looked up again. */
const MOST_FOLLOWED = 1000;

export class Shadows {
  readonly #database: Pick<Database, 'tuples' | 'dialect' | 'revisions'>;
  readonly #zone: RecordStore;
  readonly #curated: RecordStore;
  #byIri = new Map<string, RecordKey>();
  #state: Required<ShadowState> = { revisions: [0, 0], keys: [] };
  readonly #inTurn = inTurn();

  /** Both areas are seen by the same caller. */
  constructor(
    database: Pick<Database, 'tuples' | 'dialect' | 'revisions'>,
    zone: RecordStore,
    curated: RecordStore,
  ) {
    this.#database = database;
    this.#zone = zone;
    this.#curated = curated;
  }

  has(iri: string): boolean {
    return this.#byIri.has(iri);
  }

  /** Brings the shadowed records up to the last change of both areas. */
  follow(): Promise<ShadowState> {
    return this.#inTurn(() => this.#follow());
  }

  async #follow(): Promise<ShadowState> {
    const [zone, curated] = this.#state.revisions;
    const areas = [this.#zone.area, this.#curated.area];
    const revisions = (await this.#database.revisions(areas)) as [zone: number, curated: number];
    const changes = revisions[0] - zone + revisions[1] - curated;
    if (changes === 0) return this.#state;
    if (zone === 0 || curated === 0 || changes > MOST_FOLLOWED) {
      this.#byIri = new Map((await this.#all()).map((key) => [key.iri, key]));
    } else {
      const changed = await this.#changedSince(zone, curated);
      const found = await this.#among(changed);
      for (const iri of changed) this.#byIri.delete(iri);
      for (const key of found) this.#byIri.set(key.iri, key);
    }
    this.#state = { revisions, keys: [...this.#byIri.values()].sort(compareKeys) };
    return this.#state;
  }

  /** The statement goes through the smaller area. */
  async #all(): Promise<RecordKey[]> {
    const areas = [this.#zone, this.#curated];
    const isSmall = (await this.#zone.count({})) <= (await this.#curated.count({}));
    const from = isSmall
      ? 'accession_record z JOIN accession_record c ON c.area = $2 AND c.iri = z.iri WHERE z.area = $1'
      : 'accession_record c JOIN accession_record z ON z.area = $1 AND z.iri = c.iri WHERE c.area = $2';
    const rows = await this.#database.tuples<ShadowRow>(
      `SELECT ${SHADOW} FROM ${from}`,
      areas.map(({ area }) => area.id),
    );
    return this.#keys(rows);
  }

  /** With UNION alone, SQLite walks all entries by IRI to find equal ones. */
  async #changedSince(zone: number, curated: number): Promise<string[]> {
    const rows = await this.#database.tuples<[string]>(
      `SELECT iri FROM accession_entry WHERE area = $1 AND revision > $2
       UNION ALL SELECT iri FROM accession_entry WHERE area = $3 AND revision > $4`,
      [this.#zone.area.id, zone, this.#curated.area.id, curated],
    );
    return [...new Set(rows.map(([iri]) => iri))];
  }

  async #among(iris: readonly string[]): Promise<RecordKey[]> {
    const rows = await this.#database.tuples<ShadowRow>(
      `SELECT ${SHADOW} FROM accession_record z
       JOIN accession_record c ON c.area = $2 AND c.iri = z.iri
       WHERE z.area = $1 AND ${this.#database.dialect.among('z.iri', 3)}`,
      [this.#zone.area.id, this.#curated.area.id, iris],
    );
    return this.#keys(rows);
  }

  /** A record that the caller does not see neither shadows nor is shadowed. */
  #keys(rows: readonly ShadowRow[]): RecordKey[] {
    const { visibility } = this.#zone;
    return rows
      .filter(([, , , own, curated]) => !visibility || (visibility.sees(own) && visibility.sees(curated)))
      .map(([pid, iri, className]) => ({ pid, iri, className }));
  }
}
