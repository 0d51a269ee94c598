/**
 * Valid records with one fault each, made by a generator with a fixed seed: what a message about them must name is known.
 */
import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import type { LinkmlSchema, SlotDefinition } from '#linkml/linkml.ts';
import { arbitraryRecord } from '#linkml-test/arbitrary-record.ts';
import { identifiedClasses } from '#linkml-test/open-schema.ts';

type Fault = {
  readonly kind: string;
  readonly className: string;
  readonly record: JsonObject;
  /** The path that the first problem must have, and what its message must say. */
  readonly path: readonly (string | number)[];
  readonly says: RegExp;
};

/** A slot of some object of a record: the object itself, its class and the path to it. */
type Spot = {
  readonly owner: JsonObject;
  readonly path: readonly (string | number)[];
  readonly slot: SlotDefinition;
};

type Kind = {
  readonly name: string;
  fits(spot: Spot): boolean;
  /** Puts the fault in; the path and message that must be reported. */
  apply(spot: Spot, random: () => number): { path: readonly (string | number)[]; says: RegExp };
};

const isType = ({ slot }: Spot, ...bases: string[]): boolean =>
  slot.range.kind === 'type' && bases.includes(slot.range.type.base);
const at = ({ path, slot }: Spot): (string | number)[] => [...path, slot.name];

function put(spot: Spot, value: JsonValue): void {
  const { owner, slot } = spot;
  owner[slot.name] =
    slot.multivalued && Array.isArray(owner[slot.name]) && !Array.isArray(value)
      ? [value, ...(owner[slot.name] as JsonValue[]).slice(1)]
      : value;
}

/** The path of a value that {@link put} has put in. */
function where(spot: Spot): (string | number)[] {
  return Array.isArray(spot.owner[spot.slot.name]) ? [...at(spot), 0] : at(spot);
}

const KINDS: readonly Kind[] = [
  {
    name: 'a typing error in the name of a slot',
    fits: ({ slot }) => slot.name.length >= 5,
    apply: (spot, random) => {
      const { owner, path, slot } = spot;
      const i = 1 + Math.floor(random() * (slot.name.length - 2));
      const wrong = slot.name.slice(0, i) + slot.name.slice(i + 1);
      const entries = Object.entries(owner).map(
        ([key, value]) => [key === slot.name ? wrong : key, value] as const,
      );
      for (const key of Object.keys(owner)) delete owner[key];
      for (const [key, value] of entries) owner[key] = value;
      return { path: [...path, wrong], says: new RegExp(`Did you mean ${slot.name}\\?`) };
    },
  },
  {
    name: 'a required slot that is missing',
    fits: ({ slot }) => slot.required && slot.default === undefined && !slot.designatesType,
    apply: (spot) => {
      delete spot.owner[spot.slot.name];
      return { path: at(spot), says: /found nothing, expected a value/ };
    },
  },
  {
    name: 'null for a required slot',
    fits: ({ slot }) => slot.required && !slot.designatesType,
    apply: (spot) => {
      spot.owner[spot.slot.name] = null;
      return { path: at(spot), says: /found null, expected a value/ };
    },
  },
  {
    name: 'text for a number',
    fits: (spot) => isType(spot, 'integer', 'float', 'double', 'decimal'),
    apply: (spot) => {
      put(spot, 'twelve');
      return { path: where(spot), says: /found "twelve", expected (an integer|a number|a decimal number)/ };
    },
  },
  {
    name: 'a number for text',
    fits: (spot) => isType(spot, 'string', 'uri', 'uriorcurie'),
    apply: (spot) => {
      put(spot, 12);
      return { path: where(spot), says: /found 12, expected/ };
    },
  },
  {
    name: 'a day that does not exist',
    fits: (spot) => isType(spot, 'date', 'datetime'),
    apply: (spot) => {
      put(spot, '2023-02-30');
      return { path: where(spot), says: /found "2023-02-30", expected a date/ };
    },
  },
  {
    name: 'a typing error in a value of an enum',
    fits: ({ slot }) => slot.range.kind === 'enum' && !slot.range.enum.open,
    apply: (spot) => {
      const range = spot.slot.range as Extract<SlotDefinition['range'], { kind: 'enum' }>;
      const right =
        [...range.enum.values.keys()].find((text) => text.length > 3) ?? [...range.enum.values.keys()][0]!;
      const wrong = `${right}x`;
      put(spot, wrong);
      return { path: where(spot), says: new RegExp(`found "${wrong}".*Did you mean "${right}"\\?`) };
    },
  },
  {
    name: 'a reference with an unknown prefix',
    fits: ({ slot }) =>
      slot.identifier || (slot.range.kind === 'class' && slot.range.inlining === 'reference'),
    apply: (spot) => {
      put(spot, 'qqqqqq:thing');
      return { path: where(spot), says: /has no prefix 'qqqqqq'/ };
    },
  },
  {
    name: 'a value where a list belongs',
    fits: ({ slot, owner }) => slot.multivalued && Array.isArray(owner[slot.name]),
    apply: (spot) => {
      spot.owner[spot.slot.name] = 'alone';
      return { path: at(spot), says: /found "alone", expected a list/ };
    },
  },
  {
    name: 'a list where a value belongs',
    fits: ({ slot }) => !slot.multivalued && !slot.designatesType && slot.range.kind !== 'any',
    apply: (spot) => {
      spot.owner[spot.slot.name] = ['one', 'two'];
      return { path: at(spot), says: /found a list, expected/ };
    },
  },
  {
    name: 'a type that is none',
    fits: ({ slot }) => slot.designatesType,
    apply: (spot) => {
      spot.owner[spot.slot.name] = 'no:Such';
      return { path: at(spot), says: /found "no:Such", expected ".+"/ };
    },
  },
];

/** So many faults, always the same ones for a seed; kinds and classes take turns. */
export function seededFaults(schema: LinkmlSchema, count: number, seed: number): Fault[] {
  const random = generator(seed);
  const classes = identifiedClasses(schema);
  const records = new Map(
    classes.map((name) => [name, fc.sample(arbitraryRecord(schema, name), { seed, numRuns: 30 })]),
  );
  const faults: Fault[] = [];
  for (let turn = 0; faults.length < count && turn < count * 20; turn++) {
    const className = classes[turn % classes.length]!;
    const kind = KINDS[Math.floor(turn / classes.length) % KINDS.length]!;
    const record = structuredCopy(pick(records.get(className)!, random));
    const spots = spotsOf(schema, className, record, []).filter((spot) => kind.fits(spot));
    if (spots.length === 0) continue;
    const { path, says } = kind.apply(pick(spots, random), random);
    faults.push({ kind: kind.name, className, record, path, says });
  }
  return faults;
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)]!;
}

/** A small generator of numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function structuredCopy(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, copy(value)]));
}

function copy(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copy);
  return isJsonObject(value) ? structuredCopy(value) : value;
}

/** Every slot that an object of a record, at any depth, has a value for. */
function spotsOf(
  schema: LinkmlSchema,
  className: string,
  owner: JsonObject,
  path: readonly (string | number)[],
): Spot[] {
  const definition = schema.classes.get(className)!;
  return [...definition.slots.values()]
    .filter((slot) => Object.hasOwn(owner, slot.name))
    .flatMap((slot) => [
      { owner, path, slot },
      ...inner(schema, slot, owner[slot.name] as JsonValue, [...path, slot.name]),
    ]);
}

function inner(
  schema: LinkmlSchema,
  slot: SlotDefinition,
  value: JsonValue,
  path: readonly (string | number)[],
): Spot[] {
  const { range } = slot;
  if (range.kind !== 'class' || range.inlining === 'reference') return [];
  const objects = slot.multivalued ? Object.entries(value as JsonObject) : [['', value] as const];
  return objects.flatMap(([key, object]) => {
    if (!isJsonObject(object)) return [];
    const designator = schema.classes.get(range.className)?.typeDesignator?.name;
    const told = designator === undefined ? undefined : object[designator];
    const className =
      (typeof told === 'string' ? schema.classOfSchemaType(told) : undefined) ?? range.className;
    const step = slot.multivalued ? [Array.isArray(value) ? Number(key) : key] : [];
    return spotsOf(schema, className, object, [...path, ...step]);
  });
}
