/** What a submission is next to the curated record and its base: its state, its differences, its title. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import type { SubmissionTags } from '../records/annotate.ts';
import { type Claim, claimOf } from '../records/claim.ts';
import { type Difference, differences, slotsThatDiffer } from '../records/difference.ts';
import type { Schema } from '../schema/schema.ts';
import type { Content, State } from './types.ts';

/** A base is a record, none (`null`), or not known (undefined). */
export type BaseContent = Content | null | undefined;

/** The three records of a submission, read. */
export type Compared = {
  readonly submitted: Claim;
  readonly curated: Claim | null;
  readonly base: Claim | null | undefined;
};

export type Assessment = {
  readonly digest: string;
  readonly state: State;
  readonly valid: boolean;
  readonly title: string | null;
  readonly differences: number;
  readonly conflicts: number;
  readonly slots: readonly string[];
};

/** Slots that differ and are named in the queue. */
const SLOTS_NAMED = 5;

/** Reads a stored record. */
export function recordOf({ json }: Content): JsonObject {
  const value = parseJson(json);
  return isJsonObject(value) ? value : {};
}

/** The claim of a stored record. */
export function claimOfContent(schema: Schema, tags: SubmissionTags, content: Content): Claim {
  return claimOf(schema, { className: content.className, record: recordOf(content) }, tags);
}

/** The claims of a submission, its curated record and its base. */
export function compare(
  schema: Schema,
  tags: SubmissionTags,
  contents: {
    readonly submitted: Content;
    readonly curated: Content | null;
    readonly base: BaseContent;
  },
): Compared {
  const read = (content: Content) => claimOfContent(schema, tags, content);
  return {
    submitted: read(contents.submitted),
    curated: contents.curated && read(contents.curated),
    base: contents.base && read(contents.base),
  };
}

/** The state of a submission; the first that applies. */
export function stateOf({ submitted, curated, base }: Compared): State {
  if (curated?.digest === submitted.digest) return 'same';
  if (!curated && !base) return 'new';
  if (base !== undefined && curated?.digest === base?.digest) return 'changed';
  return 'diverged';
}

/** All that the queue shows of a submission and that is not written anywhere. */
export function assess(schema: Schema, submitted: Content, compared: Compared): Assessment {
  const found: Difference[] = differences(compared);
  const record = recordOf(submitted);
  return {
    digest: compared.submitted.digest,
    state: stateOf(compared),
    valid: schema.check(submitted.className, record).valid,
    title: titleOf(schema, submitted.className, record),
    differences: found.length,
    conflicts: found.filter(({ conflict }) => conflict).length,
    slots: slotsThatDiffer(found).slice(0, SLOTS_NAMED),
  };
}

/** The slots that hold a title, the best one first. */
const TITLE_SLOTS = [
  'http://www.w3.org/2004/02/skos/core#prefLabel',
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://schema.org/name',
  'https://schema.org/name',
  'http://purl.org/dc/terms/title',
  'http://xmlns.com/foaf/0.1/name',
];

const titleSlots = new WeakMap<Schema, Map<string, readonly string[]>>();

/** The title of a record: the first value of the slot that is known best to hold one. */
export function titleOf(schema: Schema, className: string, record: JsonObject): string | null {
  for (const name of slotsOfTitle(schema, className)) {
    const value: JsonValue | undefined = record[name];
    const first = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'string' && first !== '') return first;
  }
  return null;
}

function slotsOfTitle(schema: Schema, className: string): readonly string[] {
  let byClass = titleSlots.get(schema);
  if (!byClass) {
    byClass = new Map();
    titleSlots.set(schema, byClass);
  }
  let names = byClass.get(className);
  if (!names) {
    const slots = [...(schema.classes.get(className)?.slots.values() ?? [])];
    names = TITLE_SLOTS.flatMap((uri) => slots.filter((slot) => slot.uri === uri).map(({ name }) => name));
    byClass.set(className, names);
  }
  return names;
}
