/**
 * The cursors of an inbox that clients keep. They are sealed: changes and revisions are numbered in the order of commits, so their
 * numbers would count the changes that a caller may not see.
 */
import { newSecret } from '../../core/access/config-tokens.ts';
import { seal, unseal } from '../../core/access/sealed.ts';
import type { Database } from '../../core/storage/database.ts';
import { addMeta, readMeta } from '../../core/storage/meta.ts';
import type { Reader } from '../../core/storage/reader.ts';

const KEY = 'inbox cursors';

/** Makes the key of a new store: that of all of its instances. Of several, one does. */
export async function makeKey(database: Database): Promise<void> {
  if ((await readMeta(database, KEY)) === undefined)
    await database.transact(async (draft) => addMeta(draft, KEY, newSecret()));
}

/** Seals and opens cursors. */
export async function cursorKey(database: Pick<Reader, 'tuples'>): Promise<string> {
  const key = await readMeta(database, KEY);
  if (key === undefined)
    throw new Error('No process that writes has opened the store since inboxes have cursors.');
  return key;
}

/** What a cursor is for: up to where an inbox is read, or where a page of it ends. */
type CursorUse = 'inbox read' | 'inbox page';
/** The texts are those that the caller has seen. */
type Place = { readonly numbers: readonly number[]; readonly texts: readonly string[] };

/** Characters of a number with its sign: cursors of one use differ in the lengths of their texts alone. */
const WIDTH = 17;

export function sealedCursor(key: string, use: CursorUse, { numbers, texts }: Place): string {
  return seal(key, use, { numbers: numbers.map((one) => String(one).padStart(WIDTH)), texts });
}

/** @returns undefined for a string that was not sealed for that use */
export function openCursor(key: string, use: CursorUse, cursor: string): Place | undefined {
  const opened = unseal<{ numbers: readonly string[]; texts: readonly string[] }>(key, use, cursor);
  return opened && { numbers: opened.numbers.map(Number), texts: opened.texts };
}
