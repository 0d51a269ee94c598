/** Reads references from the JSON of records, and writes what they lead to into it: in a thread if a record is long. */
import {
  canonicalJson,
  type JsonObject,
  JsonText,
  type JsonValue,
  membersOf,
  parseJson,
} from '#linkml/json.ts';
import {
  type Link,
  linksOf,
  type Reference,
  referencesOf,
  replaceReference,
} from '../../core/records/links.ts';
import { definedRecord } from '../../core/records/record.ts';
import type { Schema } from '../../core/schema/schema.ts';
import type { ListedRecord } from '../../core/storage/store.ts';

type ClassText = Pick<ListedRecord, 'className' | 'json'>;

/** References that follow each other, and the slots that lead to each of them. */
export type ReferenceRun = { readonly slots: readonly string[]; readonly iris: readonly string[] };

/** JSON in place of a reference, which is given by its number among those of the record. */
export type Insertion = { readonly number: number; readonly json: string };

/** How a record is written. */
export type Edits = {
  readonly placed?: readonly Insertion[];
  /** The members that are written; undefined for all. */
  readonly members?: readonly string[] | undefined;
  /** JSON of further members. */
  readonly added?: Readonly<Record<string, string>>;
};

/** A reference to one of some records. */
type Referral = Pick<Link, 'iri' | 'slot'>;

export type ExpansionTexts = {
  /** The references of a record, in order. */
  references(record: ListedRecord): Iterable<ReferenceRun> | AsyncIterable<ReferenceRun>;
  write(record: ListedRecord, edits: Edits): string | Promise<string>;
  /** Which of some records a record refers to, by each slot once. */
  referrals(
    record: ListedRecord,
    iris: ReadonlySet<string>,
  ): readonly Referral[] | Promise<readonly Referral[]>;
};

/** Longer records are parsed again rather than kept: their objects take many times the text. In characters. */
const LONGEST_KEPT = 16 * 1024;

type ParsedRecord = { readonly object: JsonObject; readonly references: readonly Reference[] };

function parsed(schema: Schema, { className, json }: ClassText): ParsedRecord {
  const object = parseJson(json) as JsonObject;
  return { object, references: referencesOf(schema, className, object) };
}

/** Does all here. A short record is parsed once for its references and what is written of it. */
export function expansionTexts(schema: Schema): ExpansionTexts {
  const kept = new WeakMap<ListedRecord, ParsedRecord>();
  return {
    references(record) {
      const found = kept.get(record) ?? parsed(schema, record);
      if (record.json.length <= LONGEST_KEPT) kept.set(record, found);
      return runsOf(found.references);
    },
    write(record, edits) {
      const known = kept.get(record);
      // It is changed.
      kept.delete(record);
      return writeExpanded(schema, record, edits, known);
    },
    referrals: (record, iris) => referralsOf(schema, record, iris),
  };
}

/** The longest run: each is one step of its reader. */
export const LONGEST_RUN = 5000;

export function* runsOf(references: readonly Reference[]): Generator<ReferenceRun> {
  for (let at = 0; at < references.length; ) {
    const { slots } = references[at]!;
    const iris: string[] = [];
    for (; iris.length < LONGEST_RUN && references[at]?.slots === slots; at++) iris.push(references[at]!.iri);
    yield { slots, iris };
  }
}

export function referenceRuns(schema: Schema, record: ClassText): Generator<ReferenceRun> {
  return runsOf(parsed(schema, record).references);
}

/** See {@link ExpansionTexts.write}. @param known the record, if it is parsed already: it is changed */
export function writeExpanded(
  schema: Schema,
  record: ClassText,
  { placed = [], members, added = {} }: Edits,
  known?: ParsedRecord,
): string {
  const { object, references } = known ?? (placed.length > 0 ? parsed(schema, record) : unread(record));
  for (const { number, json } of placed) replaceReference(references[number]!, inPlace(json));
  const result = members ? membersOf(object, members) : object;
  for (const [name, json] of Object.entries(added)) result[name] = inPlace(json);
  return canonicalJson(result);
}

/** JSON that is written as it is. */
const inPlace = (json: string) => new JsonText(json) as unknown as JsonValue;

function unread({ json }: ClassText): ParsedRecord {
  return { object: parseJson(json) as JsonObject, references: [] };
}

/** See {@link ExpansionTexts.referrals}. */
export function referralsOf(schema: Schema, record: ClassText, iris: ReadonlySet<string>): Referral[] {
  const found = new Map<string, Referral>();
  for (const { iri, slot } of linksOf(schema, record.className, definedRecord(schema, record)))
    if (iris.has(iri)) found.set(`${slot} ${iri}`, { iri, slot });
  return [...found.values()];
}
