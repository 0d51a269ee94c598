/**
 * Policies of records: which ones a record names, and which records a caller sees.
 *
 * A record names a policy by an annotation. Which annotation that is, a *tag* says; an area has the tags of the collections that
 * it belongs to. The column `policy` of a record is what it names, computed in the transaction that writes it: empty if it names
 * none, else a JSON object with a list of names for each tag.
 */
import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '#linkml/json.ts';
import { MEMORY } from '../memory-bounds.ts';

/** An annotation that names the policy of records: the ways to write its tag, and what the column calls it. */
export type PolicyTag = { readonly id: string; readonly spellings: readonly string[] };

/** The tag with these spellings. */
export function policyTag(spellings: Iterable<string>): PolicyTag {
  const all = [...new Set(spellings)].sort();
  return { id: digest(JSON.stringify(all)).slice(0, ID_LENGTH), spellings: all };
}

const ID_LENGTH = 8;
/** The column is part of an index, so a longer name is there as its digest, which has another length. */
const LONGEST_NAME = 40;
/** With more names than this, a record is hidden from everyone. */
const MOST_NAMES = 6;

/** Stands in the column for a value that is not a string: no caller has that policy. */
const UNREADABLE = null;
type PolicyValue = string | typeof UNREADABLE;

/** Returns the policies that a record names, as the column has them. @param json canonical */
export function policyColumn(json: string, tags: readonly PolicyTag[]): string {
  const named = tags.filter(({ spellings }) => spellings.some((tag) => json.includes(inJson(tag))));
  if (named.length === 0) return '';
  const { annotations } = parseJson(json) as JsonObject;
  const column = named.flatMap(({ id, spellings }): [string, PolicyValue[]][] => {
    const values = valuesOf(annotations, spellings);
    return values.length === 0 ? [] : [[id, namesOf(values)]];
  });
  return column.length === 0 ? '' : JSON.stringify(Object.fromEntries(column));
}

/** What a caller needs for an entry: the policies of its version, and those of the record as it is or was at its end. */
export function policiesColumn(ofVersion: string, ofRecord: string): string {
  return ofVersion === ofRecord ? ofVersion : `${ofVersion}\n${ofRecord}`;
}

/** The values that a record names by a tag, as they are. @param json canonical */
export function policiesNamed(json: string, { spellings }: PolicyTag): JsonValue[] {
  return valuesOf((parseJson(json) as JsonObject).annotations, spellings);
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** The values of annotations: of `tag: value`, and of objects with `annotation_tag` and `annotation_value`. */
function valuesOf(annotations: JsonValue | undefined, spellings: readonly string[]): JsonValue[] {
  const listed = Array.isArray(annotations);
  const entries = listed
    ? annotations.map((one): [string, JsonValue] => ['', one])
    : isJsonObject(annotations)
      ? Object.entries(annotations)
      : [];
  return entries.flatMap(([key, value]) => {
    const tag = isJsonObject(value) ? (value.annotation_tag ?? key) : key;
    const isTag = [key, tag].some((one) => typeof one === 'string' && spellings.includes(one));
    if (!isTag || (listed && !isJsonObject(value))) return [];
    return [isJsonObject(value) ? (value.annotation_value ?? UNREADABLE) : value];
  });
}

function namesOf(values: readonly JsonValue[]): PolicyValue[] {
  const names = values.map((value) => (typeof value === 'string' ? shortName(value) : UNREADABLE));
  if (names.includes(UNREADABLE)) return [UNREADABLE];
  const distinct = [...new Set(names)].sort();
  return distinct.length > MOST_NAMES ? [UNREADABLE] : distinct;
}

function shortName(name: string): string {
  return name.length > LONGEST_NAME ? digest(name) : name;
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The IRI, or the next one that has a record; `+` with its policy, or `-` with that of the next one that has any. */
export type VisibilityProbe = [next: string | null, restricted: string | null];

/**
 * Whether there is a record, and its policy, as SQL of an area and an IRI. Indexes have all of it, and of each the entry at the IRI
 * or behind it is read: a hidden record, which may be long, takes as long as a missing one.
 */
export function seenColumns(area: string, iri: string): string {
  return `(SELECT r.iri FROM accession_record r WHERE r.area = ${area} AND r.iri >= ${iri} ORDER BY r.iri LIMIT 1),
    (SELECT CASE WHEN p.iri = ${iri} THEN '+' ELSE '-' END || p.policy FROM accession_record p
     WHERE p.area = ${area} AND p.iri >= ${iri} AND p.policy <> '' ORDER BY p.iri LIMIT 1)`;
}

/** Estimate: a column whose answer is remembered, besides its characters. An area has as many as there are policies. */
const COLUMN_BYTES = 100;

/** Which records a caller sees: those whose policies the caller has. */
export class Visibility {
  /** Equal for callers who see the same records. */
  readonly key: string;
  readonly #tag: PolicyTag | undefined;
  readonly #default: string | null;
  readonly #names: ReadonlySet<string>;
  readonly #known = new Map<string, boolean>();
  #bytes = 0;

  /**
   * @param tag of the annotation that names the policy of a record; undefined if no record names one
   * @param defaultPolicy the policy of records that name none; null if callers need none to see them
   */
  constructor(tag: PolicyTag | undefined, defaultPolicy: string | null, policies: Iterable<string>) {
    this.#tag = tag;
    this.#default = defaultPolicy;
    this.#names = new Set([...policies].map(shortName));
    this.key = digest(JSON.stringify([tag?.id, defaultPolicy, [...this.#names].sort()]));
  }

  /** Undefined if all records are seen, or none. */
  get tag(): PolicyTag | undefined {
    return this.#tag;
  }

  /** @param column `policy` of the record */
  sees(column: string): boolean {
    const known = this.#known.get(column);
    if (known !== undefined) return known;
    const sees = this.#allows(column);
    this.#bytes += COLUMN_BYTES + 2 * column.length;
    if (this.#bytes > MEMORY.visibilities.bytes) {
      this.#known.clear();
      this.#bytes = 0;
    }
    this.#known.set(column, sees);
    return sees;
  }

  /** Whether there is a record under an IRI that the caller sees. Both answers are looked up, so neither takes longer. */
  seesRecord(iri: string, ...[next, restricted]: VisibilityProbe): boolean {
    const openToAll = this.sees('');
    const isPermitted = this.sees(restricted?.slice(1) ?? '');
    return next === iri && (restricted?.startsWith('+') ? isPermitted : openToAll);
  }

  /** @param column `policies` of the entry */
  seesEntry(column: string): boolean {
    return column.split('\n').every((policy) => this.sees(policy));
  }

  /** @param column `policies` of the entry @returns whether its version is seen, whatever became of the record */
  seesVersion(column: string): boolean {
    return this.sees(column.split('\n', 1)[0]!);
  }

  /** See {@link sees}, of canonical JSON such as a former version of a record. */
  seesText(json: string): boolean {
    return this.sees(this.#tag ? policyColumn(json, [this.#tag]) : '');
  }

  #allows(column: string): boolean {
    const all: Readonly<Record<string, PolicyValue[]>> = column === '' ? {} : JSON.parse(column);
    const named = this.#tag && all[this.#tag.id];
    if (named) return named.every((name) => name !== UNREADABLE && this.#names.has(name));
    return this.#default === null || this.#names.has(shortName(this.#default));
  }
}
