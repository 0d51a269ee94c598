/** `accession diff`: what differs between two stores, a store and a folder, or two revisions of an area. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { type Difference, recordDifferences } from '../audit/record-diff.ts';
import { canonicalJson, compareCodePoints, isJsonObject, type JsonObject, parseJson } from '../json.ts';
import { openSchema, type Schema } from '../schema/schema.ts';
import { withoutType } from '../schema-type.ts';
import { openStore } from '../storage/backends.ts';
import { readArea } from '../storage/read-area.ts';
import { namingOf } from '../storage/store-handles.ts';
import { readYaml } from '../yaml/read.ts';
import { storeAreas, storedConfiguration } from './areas.ts';
import { type Given, UsageError } from './command.ts';
import { fileKind, isStore, sourceFiles } from './offline/source-files.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, write } from './print.ts';
import { textsIn } from './remote/texts.ts';

/** Records by pid, as canonical JSON without their type, which only some forms of a collection have. */
type Side = ReadonlyMap<string, string>;

/** Run by the table of commands. */
export async function diff(given: Given): Promise<number> {
  const [a = '', b = ''] = given.args;
  const [before, after] = [await sideOf(a, given), await sideOf(b, given)];
  const pids = [...new Set([...before.keys(), ...after.keys()])].sort(compareCodePoints);
  const counts = { added: 0, removed: 0, changed: 0 };
  for (const pid of pids) {
    const [old, now] = [before.get(pid), after.get(pid)];
    if (old === now) continue;
    const kind = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    counts[kind] += 1;
    const changes = kind === 'changed' ? recordDifferences(parsed(old), parsed(now)) : [];
    if (given.is('json')) await write(`${JSON.stringify({ pid, kind, changes })}\n`);
    else await write(`${MARKS[kind]} ${pid}\n${changes.map(changeLine).join('')}`);
  }
  const total = counts.added + counts.removed + counts.changed;
  process.stderr.write(
    `${counted(counts.added, 'record')} added, ${counts.removed} removed, ${counts.changed} changed\n`,
  );
  return total > 0 ? PROBLEMS_FOUND : 0;
}

const MARKS = { added: '+', removed: '-', changed: '~' } as const;

function parsed(json: string | undefined): JsonObject | undefined {
  return json === undefined ? undefined : (parseJson(json) as JsonObject);
}

function changeLine(change: Difference): string {
  const before = 'before' in change ? canonicalJson(change.before) : 'none';
  const after = 'after' in change ? canonicalJson(change.after) : 'none';
  return `    ${change.path}: ${before} → ${after}\n`;
}

/** `PATH`, or `STORE@REVISION`. */
async function sideOf(place: string, given: Given): Promise<Side> {
  const [, path = place, revision] = existsSync(place) ? [] : (/^(.*)@(\d+)$/.exec(place) ?? []);
  if (!existsSync(path)) throw new UsageError(`There is no ${path}.`);
  if (isStore(path))
    return revision === undefined ? storedSide(path, given) : formerSide(path, Number(revision), given);
  if (revision !== undefined) throw new UsageError(`${place}: only a store has revisions.`);
  return fileSide(path);
}

/** The area that the flags select: of the only collection, if none is named. */
async function areaIn(store: string, given: Given) {
  const areas = await storeAreas(store);
  const names = [...new Set(areas.map(({ collection }) => collection))];
  const name = given.text('collection') ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined)
    throw new UsageError(`${store} has the collections ${names.join(', ')}: use --collection.`);
  const label = given.text('incoming');
  const wanted = label === undefined ? 'curated' : `incoming/${label}`;
  const found = areas.find(({ collection, area }) => collection === name && area === wanted);
  if (!found) throw new UsageError(`${store} has no area ${name}/${wanted}.`);
  return found;
}

async function storedSide(store: string, given: Given): Promise<Side> {
  const { directory } = await areaIn(store, given);
  const side = new Map<string, string>();
  for (const { kind, text } of readArea(directory)) {
    const value = kind === 'yaml' ? readYaml(text) : parseJson(text);
    if (isJsonObject(value)) addToSide(side, value);
  }
  return side;
}

/** The records as they were after a revision, from the entries of the area. */
async function formerSide(store: string, revision: number, given: Given): Promise<Side> {
  const { directory, collection, schema: address } = await areaIn(store, given);
  const { collections } = await storedConfiguration(store);
  const schema: Schema = await openSchema(address);
  const area = await openStore(collections[collection]!.backend, directory, {
    ...namingOf(schema),
    schema: address,
  });
  const side = new Map<string, string>();
  const pidOf = new Map<string, string>();
  try {
    for (let after = 0; ; ) {
      const page = await area.entries({ after, before: revision + 1, limit: 1000 });
      for (const { iri, pid, json } of page) {
        side.delete(pidOf.get(iri) ?? pid);
        pidOf.set(iri, pid);
        if (json !== null) addToSide(side, parseJson(json) as JsonObject);
      }
      const last = page.at(-1);
      if (!last || page.length < 1000) return side;
      after = last.revision;
    }
  } finally {
    await area.close();
  }
}

function fileSide(path: string): Side {
  const side = new Map<string, string>();
  for (const source of statSync(path).isDirectory() ? sourceFiles(path) : [{ path, kind: fileKind(path) }]) {
    const { kind } = source;
    if (kind !== 'yaml' && kind !== 'json' && kind !== 'ndjson') continue;
    for (const { text } of textsIn(kind, readFileSync(source.path, 'utf8'))) {
      const value = parseJson(text);
      if (isJsonObject(value)) addToSide(side, value);
    }
  }
  return side;
}

function addToSide(side: Map<string, string>, record: JsonObject): void {
  if (typeof record.pid === 'string') side.set(record.pid, canonicalJson(withoutType(record)));
}
