/** Finds records by what people call them: for references in tables. */
import type { JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import type { FindLabel } from './cells.ts';

/** The IRIs of slots that name a record for people, the preferred one first. */
const LABEL_SLOTS: readonly string[] = [
  'http://www.w3.org/2004/02/skos/core#prefLabel',
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://schema.org/name',
  'http://purl.org/dc/terms/title',
  'http://xmlns.com/foaf/0.1/name',
];

/** Records by label, as far as they have been added. */
export class Labels {
  readonly #schema: Schema;
  /** By label: the pids with their classes. */
  readonly #known = new Map<string, Map<string, string>>();
  readonly #slots = new Map<string, readonly string[]>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  add(className: string, record: JsonObject): void {
    const { pid } = record;
    if (typeof pid !== 'string') return;
    for (const slot of this.#labelSlots(className)) {
      const values = [record[slot]].flat().filter((value) => typeof value === 'string');
      for (const value of values) {
        const pids = this.#known.get(folded(value)) ?? new Map<string, string>();
        this.#known.set(folded(value), pids.set(pid, className));
      }
    }
  }

  /** The pids of a class, or of one below it, that have a label; case and blanks at the edges do not matter. */
  readonly find: FindLabel = (label, className) => {
    const classes = this.#schema.descendants(className);
    const pids = this.#known.get(folded(label)) ?? new Map<string, string>();
    return [...pids].flatMap(([pid, of]) => (classes.includes(of) ? [pid] : []));
  };

  #labelSlots(className: string): readonly string[] {
    const known = this.#slots.get(className);
    if (known) return known;
    const slots = [...(this.#schema.classes.get(className)?.slots.values() ?? [])];
    const found = LABEL_SLOTS.flatMap((uri) =>
      slots.flatMap((slot) => (slot.uri === uri ? [slot.name] : [])),
    );
    // A schema without these: the slot that is called so.
    const names =
      found.length > 0
        ? found
        : slots.flatMap(({ name }) => (/^(name|title|label)$/.test(name) ? [name] : []));
    this.#slots.set(className, names);
    return names;
  }
}

function folded(label: unknown): string {
  return String(label).trim().toLowerCase();
}
