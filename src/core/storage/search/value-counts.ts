/**
 * How many records have each value of a slot, in bounded memory. Of too many values, those of few records are left out; the others have
 * their exact counts.
 */

/** How many records have a value, and the first of them: it decides how the value is spelled, whatever the index has followed. */
export type ValueCount = { count: number; record: number };

export type CountOptions = {
  /** Values that are kept at a time. */
  readonly most: number;
  /** Equal for texts that are the same value. */
  identity(text: string): string;
  /** Whether a value is never left out. */
  isKept(text: string): boolean;
};

/** Of values that are kept at a time, however few they are. */
const MOST_CHARACTERS = 16_000_000;

export class ValueCounts {
  readonly slot: string;
  readonly values = new Map<string, ValueCount>();
  /** Those of the values. */
  #characters = 0;
  /** No value that is left out has more records. */
  #leftOut = 0;
  /** Values before {@link beginLast}. */
  #former: number | undefined;
  /** In which ways the values are written: values that are written in one way are the same if their texts are. */
  readonly #spellings = new Set<string>();
  readonly #options: CountOptions;

  constructor(slot: string, options: CountOptions) {
    this.slot = slot;
    this.#options = options;
  }

  /** To be called before values are added that each come once, with all of their records, and after which none are added. */
  beginLast(): void {
    this.#former = this.values.size;
  }

  add(text: string, record: number, count = 1): void {
    const known = this.values.get(text);
    if (known) {
      known.count += count;
      known.record = Math.min(known.record, record);
      return;
    }
    this.#spellings.add(this.#options.identity(text) === text ? '' : text.slice(0, text.indexOf(':')));
    if (this.values.size >= this.#options.most || this.#characters > MOST_CHARACTERS) this.#leaveOut();
    // Nothing is added to it later, or nothing can be known of others any more.
    const isComplete = this.#former !== undefined || this.#leftOut === Number.POSITIVE_INFINITY;
    if (isComplete && count <= this.#leftOut && !this.#options.isKept(text)) return;
    this.values.set(text, { count, record });
    this.#characters += text.length;
  }

  get isCut(): boolean {
    return this.#leftOut > 0;
  }

  /** No value that is left out, in all of its spellings, has more records. */
  get mostLeftOut(): number {
    if (!this.isCut) return 0;
    return this.#spellings.size > 1 ? Number.POSITIVE_INFINITY : this.#leftOut;
  }

  /** Leaves out at least a half of those to which nothing will be added; if they are few, all values. */
  #leaveOut(): void {
    const { isKept } = this.#options;
    const former = this.#former ?? this.values.size;
    const counts = Uint32Array.from(this.values.values(), ({ count }) => count).subarray(former);
    const areFew = counts.length <= this.values.size / 2;
    const bound = areFew ? Number.POSITIVE_INFINITY : counts.sort()[counts.length >> 1]!;
    this.#leftOut = Math.max(this.#leftOut, bound);
    let at = 0;
    this.values.forEach(({ count }, text) => {
      const isComplete = areFew || at >= former;
      at += 1;
      if (!isComplete || count > bound || isKept(text)) return;
      this.values.delete(text);
      this.#characters -= text.length;
    });
  }
}
