/** `accession diff`: what differs between two stores, two areas, a store and a folder, or two revisions of an area. */

import { existsSync, statSync } from 'node:fs';
import { canonicalJson, compareCodePoints, isJsonObject, type JsonObject, parseJson } from '#linkml/json.ts';
import { submitterMender } from '../../core/formats/submitter.ts';
import { type RecordDifference, recordDifferences } from '../../core/records/describe-change.ts';
import { withoutType } from '../../core/schema-type.ts';
import { scanEntries } from '../../core/storage/read/paging.ts';
import { textsIn } from '../client/texts.ts';
import { fileKind, TEXT_FORMATS } from '../file-formats.ts';
import { isDatabaseUrl, openStore } from '../open-store.ts';
import type { OpenStore, StoreArea } from '../opened-store.ts';
import { PROBLEMS_FOUND, UsageError } from '../outcome.ts';
import { countText, write } from '../print.ts';
import { readText } from '../utf8-text.ts';
import { isStore, sourceFiles } from './source-files.ts';

type Side = {
  /** By pid, as canonical JSON without their type, which only some forms of a collection have. */
  readonly records: ReadonlyMap<string, string>;
  /** What the import of files into a store mends. */
  readonly mend?: ((record: JsonObject) => JsonObject) | undefined;
};

type DiffOptions = {
  readonly collection?: string;
  readonly incoming?: string;
  readonly json?: boolean;
};

export async function diff(a: string, b: string, options: DiffOptions): Promise<number> {
  const counts: Counts = { added: 0, removed: 0, changed: 0 };
  const isWhole = options.collection === undefined && options.incoming === undefined;
  if (isWhole && isWholeStore(a) && isWholeStore(b)) await compareStores(a, b, options, counts);
  else await compare(await sideOf(a, options), await sideOf(b, options), options, counts);
  const { added, removed, changed } = counts;
  process.stderr.write(`${countText(added, 'record')} added, ${removed} removed, ${changed} changed\n`);
  return added + removed + changed > 0 ? PROBLEMS_FOUND : 0;
}

type Counts = Record<'added' | 'removed' | 'changed', number>;

const NOTHING: Side = { records: new Map() };

/** Compares all areas of two stores, one after the other. */
async function compareStores(a: string, b: string, options: DiffOptions, counts: Counts): Promise<void> {
  await using before = await openStore(a, FOREIGN);
  await using after = await openStore(b, FOREIGN);
  const [former, present] = [await areasByName(before), await areasByName(after)];
  for (const name of [...new Set([...former.keys(), ...present.keys()])].sort(compareCodePoints)) {
    const [old, now] = [former.get(name), present.get(name)];
    const sides = [old && (await sideIn(before, old)), now && (await sideIn(after, now))] as const;
    await compare(sides[0] ?? NOTHING, sides[1] ?? NOTHING, { ...options, area: name }, counts);
  }
}

async function areasByName(store: OpenStore): Promise<Map<string, StoreArea>> {
  return new Map((await store.areas()).map((one) => [`${one.collection}/${one.area}`, one]));
}

/** Prints and counts the records that differ. @param area is printed with each, if several areas are compared */
async function compare(
  a: Side,
  b: Side,
  { json, area }: { readonly json?: boolean; readonly area?: string },
  counts: Counts,
): Promise<void> {
  const [before, after] = [a.records, b.records];
  const mend = a.mend ?? b.mend;
  const whole = (text: string | undefined) => {
    const record = parsed(text);
    return record && mend ? mend(record) : record;
  };
  const pids = [...new Set([...before.keys(), ...after.keys()])].sort(compareCodePoints);
  for (const pid of pids) {
    const [old, now] = [before.get(pid), after.get(pid)];
    if (old === now) continue;
    const [former, present] = [whole(old), whole(now)];
    if (former && present && canonicalJson(former) === canonicalJson(present)) continue;
    const kind = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    counts[kind] += 1;
    const changes = kind === 'changed' ? recordDifferences(former, present) : [];
    if (json) await write(`${JSON.stringify({ ...(area !== undefined && { area }), pid, kind, changes })}\n`);
    else {
      const where = area === undefined ? '' : `${area} `;
      await write(`${MARKS[kind]} ${where}${pid}\n${changes.map(changeLine).join('')}`);
    }
  }
}

const MARKS = { added: '+', removed: '-', changed: '~' } as const;

function parsed(json: string | undefined): JsonObject | undefined {
  return json === undefined ? undefined : (parseJson(json) as JsonObject);
}

function changeLine(change: RecordDifference): string {
  const before = 'before' in change ? canonicalJson(change.before) : 'none';
  const after = 'after' in change ? canonicalJson(change.after) : 'none';
  return `    ${change.path}: ${before} → ${after}\n`;
}

/** Stores of dump-things-service, and exports, are read as well. */
const FOREIGN = { foreign: true };

const isWholeStore = (place: string) => isDatabaseUrl(place) || (existsSync(place) && isStore(place));

/** `PATH`, or `STORE@REVISION`. */
async function sideOf(place: string, options: DiffOptions): Promise<Side> {
  if (isWholeStore(place)) return storedSide(place, undefined, options);
  const [, path = place, revision] = existsSync(place) ? [] : (/^(.*)@(\d+)$/.exec(place) ?? []);
  if (revision !== undefined && isWholeStore(path)) return storedSide(path, Number(revision), options);
  if (!existsSync(path)) throw new UsageError(`There is no ${path}.`);
  if (revision !== undefined) throw new UsageError(`${place}: only a store has revisions.`);
  return fileSide(path);
}

/** The records of a store as they are, or as they were after a revision of the area. */
async function storedSide(place: string, revision: number | undefined, options: DiffOptions): Promise<Side> {
  await using store = await openStore(place, FOREIGN);
  return await sideIn(store, areaIn(place, await store.areas(), options), revision);
}

async function sideIn(
  store: OpenStore,
  { store: area, config }: StoreArea,
  revision?: number,
): Promise<Side> {
  const schema = await store
    .schemas()(config)
    .catch(() => undefined);
  const mend = schema && submitterMender(schema.expand, config.submission_tags.submitter_id_tag);
  return { records: await (revision === undefined ? presentSide(area) : formerSide(area, revision)), mend };
}

/** The area that the options select: of the only collection, if none is named. */
function areaIn(
  place: string,
  areas: readonly StoreArea[],
  { collection: given, incoming }: DiffOptions,
): StoreArea {
  const names = [...new Set(areas.map(({ collection }) => collection))];
  const name = given ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined)
    throw new UsageError(`${place} has the collections ${names.join(', ')}: use --collection.`);
  const path = incoming === undefined ? 'curated' : `incoming/${incoming}`;
  const found = areas.find(({ collection, area }) => collection === name && area === path);
  if (!found) throw new UsageError(`${place} has no area ${name}/${path}.`);
  return found;
}

async function presentSide(area: StoreArea['store']): Promise<Side['records']> {
  const side = new Map<string, string>();
  for await (const { json } of area.scan({})) addToSide(side, parseJson(json) as JsonObject);
  return side;
}

/** From the entries of the area. */
async function formerSide(area: StoreArea['store'], revision: number): Promise<Side['records']> {
  const side = new Map<string, string>();
  const pidOf = new Map<string, string>();
  for await (const { iri, pid, json } of scanEntries(area, { before: revision + 1 })) {
    side.delete(pidOf.get(iri) ?? pid);
    pidOf.set(iri, pid);
    if (json !== null) addToSide(side, parseJson(json) as JsonObject);
  }
  return side;
}

/** How the import of files into a store reads them. */
const AS_IMPORTED = { duplicateKeys: 'last' } as const;

function fileSide(path: string): Side {
  const side = new Map<string, string>();
  for (const source of statSync(path).isDirectory()
    ? sourceFiles(path, TEXT_FORMATS)
    : [{ path, kind: fileKind(path, TEXT_FORMATS) }]) {
    const { kind } = source;
    if (kind !== 'yaml' && kind !== 'json' && kind !== 'ndjson') continue;
    for (const { text } of textsIn(kind, readText(source.path), AS_IMPORTED)) {
      const value = parseJson(text);
      if (isJsonObject(value)) addToSide(side, value);
    }
  }
  return { records: side };
}

function addToSide(side: Map<string, string>, record: JsonObject): void {
  if (typeof record.pid === 'string') side.set(record.pid, canonicalJson(withoutType(record)));
}
