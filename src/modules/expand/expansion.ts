/**
 * Records together with those that they refer to, along paths. First all of them are gathered, each once and level by level; then
 * they are written, as a graph or one in the other. What exceeds a limit stays a reference, and is listed with what to ask next.
 */

import { canonicalJson } from '#linkml/json.ts';
import { readGradually } from '../../core/batches.ts';
import type { ReferenceSource } from '../../core/records/record.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { SCHEMA_TYPE } from '../../core/schema-type.ts';
import { compareKeys, type ListedRecord } from '../../core/storage/store.ts';
import { yielder } from '../../core/yield.ts';
import {
  behindReference,
  behindStep,
  EXPANSION_LIMITS,
  type ExpansionLimits,
  type ExpansionPath,
  isBack,
  isEnd,
  openLists,
  type Position,
  pathText,
  stepName,
  type Truncation,
  truncation,
} from './paths.ts';
import type { Edits, ExpansionTexts, Insertion } from './texts.ts';

/** References that are followed before the thread yields: a record may have 100,000. */
const REFERENCES_AT_ONCE = 500;
/** Records that are read together, of which each may have 10 MB. */
const READ_AT_ONCE = 16;

/** The references to include. */
export type ExpansionInput = {
  readonly schema: Schema;
  readonly paths: readonly ExpansionPath[];
  /** The slots that are written of each record, beside those of the paths; undefined for all. */
  readonly fields: readonly string[] | undefined;
  readonly texts: ExpansionTexts;
};

/** A record that includes others, and what was not followed from it. */
type InlinedRecord = {
  readonly json: string;
  /** The others, in order. */
  included(): readonly ListedRecord[];
  readonly truncated: readonly Truncation[];
};

type Node = {
  readonly record: ListedRecord;
  /** The positions that are expanded from here, by their text. */
  positions?: Map<string, Position>;
  /** The records that refer to it, by the name of the step: there may be thousands of long ones. */
  back?: Map<string, ReferrerKey[]>;
};

type ReferrerKey = Pick<ListedRecord, 'pid' | 'iri'>;

/** References to follow from a record. */
type Start = { readonly from: Node; readonly positions: readonly Position[] };

/** A step from a record, by all positions that lead to the same one or several others; open are those behind it. */
type Lead = Start & { readonly open: readonly Position[] };

/** References to follow back to a record. */
type Back = { readonly from: Node; readonly position: Position };

/** By IRI, what is to be followed from records. */
type Level = ReadonlyMap<string, Iterable<readonly Position[]>>;

export class Expansion {
  readonly #input: ExpansionInput;
  readonly #source: ReferenceSource;
  readonly #limits: ExpansionLimits;
  readonly #roots: ReadonlySet<string>;
  readonly #nodes = new Map<string, Node>();
  readonly #yieldIfDue = yielder();
  readonly #truncated = new Map<string, Truncation>();
  readonly #openIn = openLists();
  readonly #members: readonly string[] | undefined;
  #included = 0;
  #characters = 0;
  #written = 0;
  /** Records that were read since they refer to others. */
  #referring = 0;

  private constructor(
    input: ExpansionInput,
    source: ReferenceSource,
    roots: readonly ListedRecord[],
    limits: ExpansionLimits,
  ) {
    this.#input = input;
    this.#source = source;
    this.#limits = limits;
    this.#roots = new Set(roots.map(({ iri }) => iri));
    const { fields, paths } = input;
    this.#members = fields && ['pid', SCHEMA_TYPE, ...fields, ...paths.flatMap((path) => path.map(stepName))];
    for (const record of roots) this.#add(record);
  }

  /** Gathers what some records include. */
  static async of(
    input: ExpansionInput,
    source: ReferenceSource,
    roots: readonly ListedRecord[],
    limits = EXPANSION_LIMITS,
  ): Promise<Expansion> {
    const expansion = new Expansion(input, source, roots, limits);
    const start = input.paths.map((path): Position => ({ path, at: 0 }));
    let level: Level = new Map(roots.map(({ iri }) => [iri, [start]]));
    for (let depth = 0; level.size > 0; depth++) level = await expansion.#follow(level, depth);
    return expansion;
  }

  /** How many are included, counted as the limit counts them. */
  get characters(): number {
    return Math.max(this.#characters, this.#written);
  }

  get truncated(): readonly Truncation[] {
    return [...this.#truncated.values()];
  }

  /** The records beside those that were expanded, in order. */
  get included(): readonly ListedRecord[] {
    const records = [...this.#nodes.values()].map(({ record }) => record);
    return records.filter(({ iri }) => !this.#roots.has(iri)).sort(compareKeys);
  }

  /** A record of the graph: as it is, with the pids of what refers to it. */
  async flat({ iri }: ListedRecord): Promise<string> {
    const { record, back } = this.#nodes.get(iri)!;
    const added = [...(back ?? [])].map(([name, records]) => [
      name,
      JSON.stringify(records.map(({ pid }) => pid)),
    ]);
    return this.#write(record, { added: Object.fromEntries(added) });
  }

  /** The members of a record that are asked for. */
  async plain(record: ListedRecord): Promise<string> {
    return this.#write(record, {});
  }

  /** A record with those that it includes in place of the references to them. A cycle ends with the pid. */
  async inlined({ iri }: ListedRecord): Promise<InlinedRecord> {
    const truncated = new Map<string, Truncation>();
    const included = new Map<string, ListedRecord>();
    const write = async (
      node: Node,
      positions: readonly Position[],
      above: ReadonlySet<string>,
      also: () => Record<string, string> = () => ({}),
    ): Promise<string> => {
      const within = new Set([...above, node.record.iri]);
      const noteCut = (position: Position, isTooMuch = false) => {
        const cut = truncation(node.record, position);
        const key = JSON.stringify(cut);
        if (isTooMuch || this.#truncated.has(key)) truncated.set(key, cut);
      };
      const place = (
        to: string,
        position: Position,
        behind: readonly Position[],
      ): string | undefined | Promise<string> => {
        const target = this.#nodes.get(to);
        if (target && within.has(to)) return JSON.stringify(target.record.pid);
        const { levels, characters } = this.#limits;
        const isTooMuch =
          target !== undefined &&
          (within.size > levels || this.#written + target.record.json.length > characters);
        if (!target || isTooMuch) {
          noteCut(position, isTooMuch);
          return undefined;
        }
        this.#written += target.record.json.length;
        included.set(to, target.record);
        const isWhole = !this.#members && behind.every(isEnd);
        return isWhole ? target.record.json : write(target, behind, within);
      };
      const placed: Insertion[] = [];
      let number = 0;
      let visited = 0;
      const references = positions.every((one) => isEnd(one) || isBack(one))
        ? []
        : this.#input.texts.references(node.record);
      for await (const { slots, iris } of references) {
        const behind = positions.map((one) => behindReference(one, slots));
        const position = positions[behind.findIndex(({ length }) => length > 0)];
        // Repeated steps behind each other lead to the same position in many ways.
        const open = [...new Map(behind.flat().map((one) => [pathText(one), one])).values()];
        for (const to of position ? iris : []) {
          if (visited++ % REFERENCES_AT_ONCE === 0) await this.#yieldIfDue();
          const found = place(to, position!, open);
          const json = found instanceof Promise ? await found : found;
          if (json !== undefined) placed.push({ number, json });
          number += 1;
        }
        if (!position) number += iris.length;
      }
      const added: Record<string, string> = {};
      for (const position of positions) {
        const step = position.path[position.at];
        if (!step?.isBack) continue;
        noteCut(position);
        const behind = behindStep(position);
        const values: string[] = [];
        for (const one of node.back?.get(stepName(step)) ?? [])
          values.push((await place(one.iri, position, behind)) ?? JSON.stringify(one.pid));
        added[stepName(step)] = `[${values}]`;
      }
      // Objects in each other are written one by one: together, they would be one step of hundreds of milliseconds.
      const json = await this.#write(node.record, { placed, added: { ...added, ...also() } });
      await this.#yieldIfDue();
      return json;
    };
    const root = this.#nodes.get(iri)!;
    const start = [...(root.positions?.values() ?? [])].filter(({ at }) => at === 0);
    const cut = (): Record<string, string> =>
      truncated.size > 0 ? { '@truncated': canonicalJson([...truncated.values()]) } : {};
    const json = await write(root, start, new Set(), cut);
    return {
      json,
      truncated: [...truncated.values()],
      included: () => [...included.values()].sort(compareKeys),
    };
  }

  /** Makes the steps from the records of a level. @returns those of the next level, with their positions */
  async #follow(level: Level, depth: number): Promise<Level> {
    const starts: Start[] = [];
    for (const [iri, lists] of level) {
      const from = this.#nodes.get(iri)!;
      from.positions ??= new Map();
      const known = from.positions.size;
      for (const position of [...lists].flat()) {
        const text = pathText(position);
        if (!from.positions.has(text)) from.positions.set(text, position);
      }
      const positions = [...from.positions.values()].slice(known);
      if (positions.length > 0) starts.push({ from, positions });
      await this.#yieldIfDue();
    }
    const found = await this.#findReferring(starts);
    const leads = await this.#leadsOf(starts);
    const { levels, included, characters } = this.#limits;
    const hasRoom = depth < levels && this.#characters < characters;
    const room = hasRoom ? included - this.#included : 0;
    const targets = new Set<string>();
    for (const to of leads.keys()) {
      if (targets.size >= room) break;
      if (!this.#nodes.has(to)) targets.add(to);
    }
    await this.#read(targets, found);
    for (const iri of targets) {
      const record = found.get(iri);
      if (!record || this.#characters + record.json.length > this.#limits.characters) continue;
      this.#included += 1;
      this.#characters += record.json.length;
      this.#add(record);
    }
    await this.#yieldIfDue();
    const next = new Map<string, Set<readonly Position[]>>();
    const cut = new Set<Lead>();
    let visited = 0;
    for (const [to, led] of leads) {
      if (visited++ % REFERENCES_AT_ONCE === 0) await this.#yieldIfDue();
      const isIncluded = this.#nodes.has(to);
      if (!isIncluded && targets.has(to) && !found.has(to)) continue;
      for (const lead of led) {
        if (!isIncluded) cut.add(lead);
        else if (lead.open.length > 0) next.set(to, (next.get(to) ?? new Set()).add(lead.open));
      }
    }
    for (const { from, positions } of cut) for (const position of positions) this.#cut(from, position);
    return next;
  }

  /** Lists a step that was not followed to all records that it leads to. */
  #cut({ record }: Node, position: Position): void {
    const one = truncation(record, position);
    this.#truncated.set(JSON.stringify(one), one);
  }

  /** Adds the targets that are not found yet, up to the characters that may be included; the others are removed from the targets. */
  async #read(targets: Set<string>, found: Map<string, ListedRecord>): Promise<void> {
    const missing = [...targets].filter((iri) => !found.has(iri));
    const read = (some: readonly string[]) => this.#source.records(some);
    let characters = this.#characters;
    for await (const { found: records, next } of readGradually(missing, READ_AT_ONCE, read)) {
      for (const record of records) {
        found.set(record.iri, record);
        characters += record.json.length;
      }
      if (characters <= this.#limits.characters) continue;
      for (const iri of missing.slice(next)) targets.delete(iri);
      break;
    }
  }

  #add(record: ListedRecord): void {
    this.#nodes.set(record.iri, { record });
  }

  /** Finds the records that the steps back of a level lead to. @returns some of them, by their IRIs */
  async #findReferring(starts: readonly Start[]): Promise<Map<string, ListedRecord>> {
    const back: Back[] = starts.flatMap(({ from, positions }) =>
      positions.filter(isBack).map((position) => ({ from, position })),
    );
    for (const { from, position } of back) {
      from.back ??= new Map();
      from.back.set(stepName(position.path[position.at]!), []);
    }
    const known = new Map<string, ListedRecord>();
    let room = this.#limits.characters - this.#characters;
    const read = (iris: readonly string[]) => this.#source.records(iris);
    let waiting = [...new Set(back.map(({ from }) => from.record.iri))];
    while (waiting.length > 0 && this.#referring < this.#limits.referring) {
      const referrers = await this.#source.referrers(waiting);
      waiting = waiting.slice(referrers.size);
      const referring = [...new Set([...referrers.values()].flatMap(({ iris }) => [...iris]))];
      this.#referring += referring.length;
      const current = back.filter(({ from }) => referrers.has(from.record.iri));
      for (const { from, position } of current)
        if (!referrers.get(from.record.iri)!.isComplete) this.#cut(from, position);
      const byTarget = Map.groupBy(current, ({ from }) => from.record.iri);
      const targets = new Set(byTarget.keys());
      for await (const { found } of readGradually(referring, READ_AT_ONCE, read)) {
        for (const record of found) {
          const refers = await this.#noteReferring(record, byTarget, targets);
          await this.#yieldIfDue();
          if (!refers || known.size >= this.#limits.included || record.json.length > room) continue;
          known.set(record.iri, record);
          room -= record.json.length;
        }
      }
      for (const { from } of current) for (const one of from.back!.values()) one.sort(compareKeys);
    }
    const left = new Set(waiting);
    for (const { from, position } of back) if (left.has(from.record.iri)) this.#cut(from, position);
    return known;
  }

  /** Adds a record to those that refer to the starts of steps back. @returns whether it refers to one */
  async #noteReferring(
    record: ListedRecord,
    starts: ReadonlyMap<string, readonly Back[]>,
    targets: ReadonlySet<string>,
  ): Promise<boolean> {
    const key: ReferrerKey = { pid: record.pid, iri: record.iri };
    let refers = false;
    for (const { iri, slot } of await this.#input.texts.referrals(record, targets)) {
      for (const { from, position } of starts.get(iri) ?? []) {
        const step = position.path[position.at]!;
        if (step.slot !== slot || !this.#isOf(record, step.className)) continue;
        const referring = from.back!.get(stepName(step))!;
        if (referring.at(-1) !== key) referring.push(key);
        refers = true;
      }
    }
    return refers;
  }

  #isOf({ className }: ListedRecord, expected: string | undefined): boolean {
    const { schema } = this.#input;
    return expected === undefined || (schema.descendants(expected)?.includes(className) ?? false);
  }

  /** Where steps lead, by the IRIs of the records there. */
  async #leadsOf(starts: readonly Start[]): Promise<ReadonlyMap<string, readonly Lead[]>> {
    const leads = new Map<string, Lead[]>();
    let visited = 0;
    for (const { from, positions } of starts) {
      for (const position of positions.filter(isBack)) {
        const lead = { from, positions: [position], open: this.#openIn(behindStep(position)) };
        for (const { iri } of from.back!.get(stepName(position.path[position.at]!))!) add(leads, iri, lead);
      }
      if (positions.every(isBack)) continue;
      for await (const { slots, iris } of this.#input.texts.references(from.record)) {
        const leading = positions.filter((one) => behindReference(one, slots).length > 0);
        if (leading.length === 0) continue;
        const open = this.#openIn(leading.flatMap((one) => behindReference(one, slots)));
        const lead = { from, positions: leading, open };
        for (const iri of iris) {
          if (visited++ % REFERENCES_AT_ONCE === 0) await this.#yieldIfDue();
          add(leads, iri, lead);
        }
      }
    }
    return leads;
  }

  /** The members of a record that are asked for, with what is put in and added. */
  #write(record: ListedRecord, edits: Edits): string | Promise<string> {
    const isEdited = this.#members || edits.placed?.length || Object.keys(edits.added ?? {}).length > 0;
    return isEdited ? this.#input.texts.write(record, { ...edits, members: this.#members }) : record.json;
  }
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
