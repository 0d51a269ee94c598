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

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  add(className: string, record: JsonObject): void {
    const { pid } = record;
    if (typeof pid !== 'string') return;
    const definition = this.#schema.classes.get(className);
    for (const slot of definition ? titleSlotsOf(definition) : []) {
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
}

function folded(label: unknown): string {
  return String(label).trim().toLowerCase();
}
