/** Finds records by what people call them: for references in tables. */
import type { JsonObject } from '../json.ts';
import { titleSlotsOf } from '../records/title.ts';
import type { Schema } from '../schema/schema.ts';
import type { FindLabel } from './cells.ts';

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
    const definition = this.#schema.classes.get(className);
    const found = definition ? titleSlotsOf(definition) : [];
    // A schema without these: the slot that is called so.
    const names =
      found.length > 0
        ? found
        : [...(definition?.slots.keys() ?? [])].filter((name) => /^(name|title|label)$/.test(name));
    this.#slots.set(className, names);
    return names;
  }
}

function folded(label: unknown): string {
  return String(label).trim().toLowerCase();
}
