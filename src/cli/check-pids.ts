/** `accession check-pids`: pids that do not resolve, records under one pid, references to nothing. */
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { openSchema, type Schema, type SlotRange } from '../schema/schema.ts';
import { readArea } from '../storage/read-area.ts';
import { readYaml } from '../yaml/read.ts';
import { storeAreas } from './areas.ts';
import type { Given } from './command.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, printRows } from './print.ts';

/** A pid that is wrong. */
export type PidProblem = {
  readonly collection: string;
  readonly area: string;
  readonly pid: string;
  readonly kind: 'unresolved' | 'repeated' | 'dangling' | 'unreadable';
  readonly message: string;
};

/** Run by the table of commands. */
export async function checkPids(given: Given): Promise<number> {
  const { problems, records } = await findPidProblems(given.args[0] as string);
  await printRows(problems, ['collection', 'area', 'kind', 'message'], given.is('json'));
  process.stderr.write(`${counted(records, 'record')} checked, ${counted(problems.length, 'problem')}\n`);
  return problems.length > 0 ? PROBLEMS_FOUND : 0;
}

/** Looks at every record of a store, in all areas. References of a zone may lead to the curated area. */
export async function findPidProblems(store: string): Promise<{ problems: PidProblem[]; records: number }> {
  const problems: PidProblem[] = [];
  let records = 0;
  const areas = await storeAreas(store);
  const byCollection = Map.groupBy(areas, ({ collection }) => collection);
  for (const [collection, all] of byCollection) {
    const [first] = all;
    const schema = first && (await openSchema(first.schema).catch(() => undefined));
    if (!schema) continue;
    const curated = new Set<string>();
    // References of a zone may lead to the curated area, which is read first.
    const curatedFirst = all.toSorted((a, b) => Number(b.area === 'curated') - Number(a.area === 'curated'));
    for (const { area, directory } of curatedFirst) {
      const note = (pid: string, kind: PidProblem['kind'], message: string) =>
        problems.push({ collection, area, pid, kind, message });
      const own = area === 'curated' ? curated : new Set<string>();
      const references: { from: string; slot: string; to: string }[] = [];
      for (const { file, kind, text, className } of readArea(directory)) {
        records += 1;
        const record = recordIn(text, kind);
        if (record === undefined) {
          note('', 'unreadable', `${file} is not a record.`);
          continue;
        }
        const pid = String(record.pid ?? '');
        const iri = schema.expand(pid);
        if (iri === undefined && pid.includes(':'))
          note(pid, 'unresolved', `${pid}: the schema has no such prefix.`);
        const key = iri ?? pid;
        if (own.has(key)) note(pid, 'repeated', `${pid}: another record of the area has the same IRI.`);
        own.add(key);
        for (const { slot, to } of referencesOf(schema, className, record))
          references.push({ from: pid, slot, to });
      }
      for (const { from, slot, to } of references) {
        const iri = schema.expand(to) ?? to;
        if (own.has(iri) || curated.has(iri)) continue;
        note(from, 'dangling', `${from}: ${slot} refers to ${to}, which is not in the collection.`);
      }
    }
  }
  return { problems, records };
}

function recordIn(text: string, kind: 'yaml' | 'json'): JsonObject | undefined {
  try {
    const value = kind === 'yaml' ? readYaml(text) : parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Reference = { readonly slot: string; readonly to: string };

/** The references of a record to records, also those of inlined objects. */
export function* referencesOf(schema: Schema, className: string, record: JsonObject): Generator<Reference> {
  const definition = schema.classes.get(className);
  if (!definition) return;
  for (const slot of definition.slots.values()) {
    const value = Object.hasOwn(record, slot.name) ? record[slot.name] : undefined;
    if (value === undefined || value === null) continue;
    yield* inValue(schema, slot.name, slot.range, value);
  }
}

function* inValue(schema: Schema, slot: string, range: SlotRange, value: JsonValue): Generator<Reference> {
  if (range.kind !== 'class') return;
  if (range.inlining === 'reference') {
    const isRecord = schema.recordClasses.includes(range.className);
    for (const one of [value].flat()) if (isRecord && typeof one === 'string') yield { slot, to: one };
    return;
  }
  const objects = Array.isArray(value)
    ? value
    : isJsonObject(value) && range.inlining !== 'object'
      ? Object.values(value)
      : [value];
  for (const one of objects) if (isJsonObject(one)) yield* referencesOf(schema, range.className, one);
}
