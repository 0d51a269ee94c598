/** A set of ids of records as bits, in pages: a million of them take 130 kB, wherever they are. */
const PAGE = 2 ** 16;

export class IdSet {
  readonly #pages = new Map<number, Uint32Array>();
  #size = 0;

  constructor(ids: Iterable<number> = []) {
    for (const id of ids) this.add(id);
  }

  get size(): number {
    return this.#size;
  }

  has(id: number): boolean {
    const page = this.#pages.get(Math.floor(id / PAGE));
    const at = id % PAGE;
    return page !== undefined && (page[at >>> 5]! & (1 << (at & 31))) !== 0;
  }

  add(id: number): void {
    const number = Math.floor(id / PAGE);
    let page = this.#pages.get(number);
    if (!page) {
      page = new Uint32Array(PAGE / 32);
      this.#pages.set(number, page);
    }
    const at = id % PAGE;
    const bit = 1 << (at & 31);
    if ((page[at >>> 5]! & bit) !== 0) return;
    page[at >>> 5]! |= bit;
    this.#size += 1;
  }

  delete(id: number): void {
    if (!this.has(id)) return;
    const at = id % PAGE;
    this.#pages.get(Math.floor(id / PAGE))![at >>> 5]! &= ~(1 << (at & 31));
    this.#size -= 1;
  }

  /** The ids that are in this set and, or and not, in another one. */
  filter(other: IdSet, isIn: boolean): IdSet {
    const found = new IdSet();
    for (const [number, page] of this.#pages) {
      const others = other.#pages.get(number);
      if (others)
        found.#put(
          number,
          page.map((bits, at) => bits & (isIn ? others[at]! : ~others[at]!)),
        );
      else if (!isIn) found.#put(number, page.slice());
    }
    return found;
  }

  /** The ids that are in this set or in another one. */
  with(other: IdSet): IdSet {
    const found = new IdSet();
    for (const [number, page] of this.#pages) {
      const others = other.#pages.get(number);
      found.#put(number, others ? page.map((bits, at) => bits | others[at]!) : page.slice());
    }
    for (const [number, page] of other.#pages) if (!this.#pages.has(number)) found.#put(number, page.slice());
    return found;
  }

  /** Some of the ids, of all pages. @param most about how many */
  sample(most: number): IdSet {
    const found = new IdSet();
    for (const [number, page] of this.#pages) {
      const part = new Uint32Array(page.length);
      let left = most / this.#pages.size;
      for (let at = 0; at < page.length && left > 0; at++) {
        part[at] = page[at]!;
        left -= ones(page[at]!);
      }
      found.#put(number, part);
    }
    return found;
  }

  #put(number: number, page: Uint32Array): void {
    this.#pages.set(number, page);
    for (const bits of page) if (bits !== 0) this.#size += ones(bits);
  }

  /** By number. */
  *[Symbol.iterator](): Generator<number> {
    for (const number of [...this.#pages.keys()].sort((a, b) => a - b)) {
      const page = this.#pages.get(number)!;
      for (let at = 0; at < page.length; at++)
        for (let bits = page[at]!; bits !== 0; bits &= bits - 1)
          yield number * PAGE + at * 32 + (31 - Math.clz32(bits & -bits));
    }
  }
}

/** How many bits are set, counted in groups of two, four and eight. */
function ones(bits: number): number {
  const twos = bits - ((bits >>> 1) & 0x55555555);
  const fours = (twos & 0x33333333) + ((twos >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
