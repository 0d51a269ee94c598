/** Classes and titles as the service describes them, each asked for once. */
import { signal } from '@preact/signals';
import type {
  ClassDescription,
  ClassSummary,
  SlotDescription,
  SlotRange,
  Titles,
} from '../../src/client/client.ts';
import { MOST_TITLES } from '../../src/core/http/api-values.ts';
import { titleSlotsAmong } from '../../src/core/records/title.ts';
import type { JsonObject } from './json.ts';
import { lab } from './service.ts';
import { session } from './session.ts';

export type { ClassDescription } from '../../src/client/client.ts';
export { MOST_TITLES } from '../../src/core/http/api-values.ts';
export { SCHEMA_TYPE } from '../../src/core/schema-type.ts';
export type Slot = SlotDescription;
export type Range = SlotRange;

export type Title = NonNullable<Titles[string]>;

/** Increases when records were written, so that what was read of them is read again. */
export const written = signal(0);

let owner = session.token.peek();
const classes = new Map<string, Promise<ClassDescription>>();
const titles = new Map<string, Title | null>();
const queues = new Map<string, { pids: Set<string>; done: Promise<void> }>();

/** Forgets what was read: records or the token have changed. */
export function forget(): void {
  titles.clear();
  written.value++;
}

function checkOwner(): void {
  if (owner === session.token.peek()) return;
  owner = session.token.peek();
  classes.clear();
  titles.clear();
}

/** The classes of a collection with the number of their records. */
export function readClasses(collection: string, signal?: AbortSignal): Promise<readonly ClassSummary[]> {
  return lab(collection, signal).classes();
}

/** The class of a new record if none was chosen: the first with records and without subclasses, else the first. */
export function usualClass(classes: readonly ClassSummary[]): string | undefined {
  const concrete = classes.filter(({ abstract }) => !abstract);
  const leaves = concrete.filter((one) => !concrete.some(({ is_a }) => is_a === one.class));
  return (leaves.find(({ count }) => count > 0) ?? leaves[0])?.class;
}

/** One class with its slots. */
export function readClass(collection: string, name: string): Promise<ClassDescription> {
  checkOwner();
  const key = `${collection}\n${name}`;
  const known = classes.get(key);
  if (known) return known;
  const asked = lab(collection).class(name);
  asked.catch(() => classes.delete(key));
  classes.set(key, asked);
  return asked;
}

/** The titles of records; those asked for within one turn go in one request. */
export async function readTitles(
  collection: string,
  pids: readonly string[],
): Promise<Map<string, Title | null>> {
  checkOwner();
  const missing = pids.filter((pid) => !titles.has(`${collection}\n${pid}`));
  if (missing.length > 0) {
    let queue = queues.get(collection);
    if (!queue) {
      const asked = new Set<string>();
      queue = { pids: asked, done: Promise.resolve().then(() => fetchTitles(collection, asked)) };
      queues.set(collection, queue);
    }
    for (const pid of missing) queue.pids.add(pid);
    await queue.done;
  }
  return new Map(pids.map((pid) => [pid, titles.get(`${collection}\n${pid}`) ?? null]));
}

async function fetchTitles(collection: string, asked: Set<string>): Promise<void> {
  queues.delete(collection);
  const pids = [...asked];
  for (let from = 0; from < pids.length; from += MOST_TITLES) {
    const part = pids.slice(from, from + MOST_TITLES);
    const value = await lab(collection).titles(part);
    for (const pid of part) titles.set(`${collection}\n${pid}`, value[pid] ?? null);
  }
}

/** The slot that names records of a class. */
export function titleSlot({ slots }: ClassDescription): Slot | undefined {
  return titleSlotsAmong(slots)[0];
}

/** The slots in the order in which people read them: the name first, then as in the schema. */
export function readingOrder(description: ClassDescription): readonly Slot[] {
  const title = titleSlot(description);
  return title ? [title, ...description.slots.filter((slot) => slot !== title)] : description.slots;
}

/** The value that names a record, else the local part of its identifier. */
export function titleIn(description: ClassDescription | undefined, record: JsonObject): string {
  const names = titleSlotsAmong(description?.slots ?? []).map(({ name }) => [record[name]].flat()[0]);
  const title = names.find((value) => typeof value === 'string' && value !== '');
  if (title !== undefined) return String(title);
  return localPart(String(identifierOf(description, record) ?? ''));
}

/** The identifier of a record. */
function identifierOf(description: ClassDescription | undefined, record: JsonObject): string | undefined {
  const name = description?.slots.find(({ identifier }) => identifier)?.name ?? 'pid';
  const value = record[name];
  return typeof value === 'string' ? value : undefined;
}

/** The part of an identifier behind its last separator. */
export function localPart(pid: string): string {
  return pid.split(/[#/:]/).filter(Boolean).at(-1) ?? pid;
}

/** The title of a slot, or its name in words. */
export function slotTitle({ title, name }: Pick<Slot, 'name'> & Partial<Pick<Slot, 'title'>>): string {
  if (title) return title;
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
