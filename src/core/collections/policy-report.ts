/** Who sees what by policies, for curators and administrators: of one record, in all, and after a change of policies. */

import type { JsonValue } from '#linkml/json.ts';
import type { Grant } from '../access/grant.ts';
import type { CollectionConfig, PolicyInformation } from '../config/config.ts';
import { resolvePid } from '../records/record.ts';
import { flagSchema, listOf, objectOf, orNull, type Shape, textOrNull, textSchema } from '../shapes.ts';
import { countPolicies } from '../storage/policy-column.ts';
import type { RecordStore } from '../storage/store.ts';
import { policiesNamed, type Visibility } from '../storage/visibility.ts';
import type { Collection } from './collection.ts';
import { type Caller, rulesOf, UNNAMED } from './policy-rules.ts';

const count = { type: 'integer' } as const;

/** A caller as `policy_mapping` names it. */
const callerSchema = objectOf({ auth_source: textSchema, user_id: textSchema });
type CallerName = Shape<typeof callerSchema>;

const nameOf = ({ source, userId }: Caller): CallerName => ({ auth_source: source, user_id: userId });

/** Callers that a report lists. */
const MOST_CALLERS = 1000;

export const readersSchema = orNull(
  objectOf({
    policies: {
      description: 'The policies that a caller needs, all of them; null for a value that no caller can have.',
      ...listOf(textOrNull),
    },
    from: { enum: ['record', 'default', 'none'], description: 'What names the policies.' },
    everyone: {
      ...flagSchema,
      description: 'Whether every caller who may read the collection sees the record.',
    },
    without_token: { ...flagSchema, description: 'Whether requests without a token show the record.' },
    readers: {
      description: 'The callers of `policy_mapping` who see the record; at most 1000.',
      ...listOf(callerSchema),
    },
    number: { ...count, description: 'How many callers of `policy_mapping` see the record.' },
  }),
);
type Readers = NonNullable<Shape<typeof readersSchema>>;

/** Who sees a record of an area on the endpoints for users; undefined if the area does not have the record. */
export async function readersOf(
  collection: Collection,
  store: RecordStore,
  pid: string,
): Promise<Readers | undefined> {
  const record = await store.get(resolvePid(collection.schema, pid));
  if (!record) return undefined;
  const rules = collection.policies?.rules();
  const anonymous = await anonymousIn(collection, store);
  if (!rules) return { ...OPEN, without_token: anonymous !== undefined, readers: [], number: 0 };
  const { json } = record;
  const named = rules.tag ? policiesNamed(json, rules.tag) : [];
  const { defaultPolicy } = rules;
  const needed = named.length > 0 ? named : defaultPolicy === null ? [] : [defaultPolicy];
  const sees = seeing((visibility) => visibility.seesText(json));
  const asReader = readerIn(collection);
  const readers = [...rules.readers(), ...rules.callers()].filter((caller) =>
    sees(rules.visibilityOf(asReader(caller))),
  );
  return {
    policies: needed.map((one: JsonValue) => (typeof one === 'string' ? one : null)),
    from: named.length > 0 ? 'record' : defaultPolicy === null ? 'none' : 'default',
    everyone: sees(rules.visibilityOf(UNNAMED)),
    without_token: anonymous !== undefined && sees(rules.visibilityOf(anonymous)),
    readers: readers.slice(0, MOST_CALLERS).map(nameOf),
    number: readers.length,
  };
}

/** Returns callers as those whose own tokens permit reading; who asks without a token has none. */
function readerIn(collection: Collection): (caller: Caller) => Caller {
  const isDefault = isDefaultOf(collection);
  return (caller) => (isDefault(caller) ? caller : { ...caller, isReader: true });
}

function isDefaultOf(collection: Collection): (caller: Caller) => boolean {
  const anonymous = collection.defaultCaller();
  return ({ source, userId }) => source === anonymous?.source && userId === anonymous.userId;
}

/** Who asks without a token; undefined if that has no permission to read the area. */
async function anonymousIn(collection: Collection, { area }: RecordStore): Promise<Grant | undefined> {
  const anonymous = collection.defaultCaller();
  if (!anonymous || area.id === collection.curated.area.id)
    return anonymous?.permissions.readCurated ? anonymous : undefined;
  const { label, permissions } = anonymous;
  const zone = permissions.readZone && label ? await collection.zones.existing(label) : undefined;
  return zone?.store.area.id === area.id ? anonymous : undefined;
}

const OPEN = { policies: [], from: 'none', everyone: true } as const;

/** Judges each set of policies once: many callers have the same. */
function seeing<T>(judge: (visibility: Visibility) => T): (visibility: Visibility) => T {
  const known = new Map<string, T>();
  return (visibility) => {
    if (!known.has(visibility.key)) known.set(visibility.key, judge(visibility));
    return known.get(visibility.key)!;
  };
}

/** Curated records that a caller gains and loses by a change of policies. */
const changeSchema = objectOf({ before: count, after: count, gained: count, lost: count });
type Change = Shape<typeof changeSchema>;

export const policyDryRunSchema = objectOf({
  records: { ...count, description: 'The records of the curated area.' },
  restricted: {
    description: 'How many records a caller without policies does not see.',
    ...objectOf({ before: count, after: count }),
  },
  callers: {
    description:
      'The callers who gain or lose records, with the number of records that they see; at most 1000.',
    ...listOf(objectOf({ ...callerSchema.properties, ...changeSchema.properties })),
  },
  changed: { ...count, description: 'How many callers gain or lose records.' },
  unchanged: { ...count, description: 'How many callers of the mappings do not.' },
  others: {
    description: 'Callers whom no entry of the mapping names, and whose own tokens permit reading.',
    ...changeSchema,
  },
  without_token: {
    description: 'Requests without a token; null if the default token does not read curated records.',
    ...orNull(changeSchema),
  },
});
type PolicyDryRun = Shape<typeof policyDryRunSchema>;

/** Finds what callers would gain and lose by other policies. Reads each record if they have another annotation. */
export async function policyDryRun(
  collection: Collection,
  config: CollectionConfig,
  information: PolicyInformation,
): Promise<PolicyDryRun> {
  const { schema, database, curated } = collection;
  const before = collection.policies?.rules();
  const after = rulesOf(schema, config, information);
  const tags = [before?.tag, after?.tag].filter((tag) => tag !== undefined);
  const counts = await countPolicies(database, curated.area, tags);
  const known = new Map<string, Change>();
  const changeOf = (caller: Caller): Change => {
    const [former, next] = [before?.visibilityOf(caller), after?.visibilityOf(caller)];
    const key = `${former?.key} ${next?.key}`;
    if (!known.has(key)) known.set(key, compare(counts, former, next));
    return known.get(key)!;
  };
  const anonymous = await anonymousIn(collection, curated);
  const [asReader, isDefault] = [readerIn(collection), isDefaultOf(collection)];
  const named = new Map<string, Caller>();
  for (const caller of [before, after].flatMap((rules) => [...(rules?.callers() ?? [])]))
    if (anonymous || !isDefault(caller)) named.set(JSON.stringify(nameOf(caller)), caller);
  const callers = [...named.values()].map((caller) => ({ ...nameOf(caller), ...changeOf(asReader(caller)) }));
  const changed = callers.filter(({ gained, lost }) => gained + lost > 0);
  const bare = changeOf(UNNAMED);
  const records = [...counts.values()].reduce((sum, number) => sum + number, 0);
  return {
    records,
    restricted: { before: records - bare.before, after: records - bare.after },
    callers: changed.slice(0, MOST_CALLERS),
    changed: changed.length,
    unchanged: callers.length - changed.length,
    others: changeOf(asReader(UNNAMED)),
    without_token: anonymous ? changeOf(anonymous) : null,
  };
}

/** @param counts of records, by their column */
function compare(
  counts: ReadonlyMap<string, number>,
  former: Visibility | undefined,
  next: Visibility | undefined,
): Change {
  const change = { before: 0, after: 0, gained: 0, lost: 0 };
  for (const [column, number] of counts) {
    const [saw, sees] = [former?.sees(column) ?? true, next?.sees(column) ?? true];
    if (saw) change.before += number;
    if (sees) change.after += number;
    if (sees && !saw) change.gained += number;
    if (saw && !sees) change.lost += number;
  }
  return change;
}

export const policyOverviewSchema = objectOf({
  tags: {
    description:
      'The ways to write the annotation that names the policy of a record, the configured one first.',
    ...listOf(textSchema),
  },
  default_policy: textOrNull,
  policies: {
    description: 'The policies that callers have, and how many callers.',
    ...listOf(objectOf({ name: textSchema, callers: count })),
  },
});
type PolicyOverview = Shape<typeof policyOverviewSchema>;

/** The policies of a collection, for the forms of curators. */
export function policyOverview({ policies }: Collection): PolicyOverview {
  const rules = policies?.rules();
  const callers = new Map<string, number>();
  if (rules?.defaultPolicy != null) callers.set(rules.defaultPolicy, 0);
  for (const caller of rules?.callers() ?? [])
    for (const name of rules!.of(caller)) callers.set(name, (callers.get(name) ?? 0) + 1);
  return {
    tags: rules?.spellings ?? [],
    default_policy: rules?.defaultPolicy ?? null,
    policies: [...callers].sort().map(([name, number]) => ({ name, callers: number })),
  };
}
