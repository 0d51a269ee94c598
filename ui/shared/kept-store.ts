/** The database of this browser for values that are kept: by user, name and tab. */
import { keptKey } from './kept-values.ts';

const DATABASE = 'accession.kept';
const STORE = 'values';
/** How long the values of a tab are kept that was closed. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

type Entry = { readonly time: number; readonly value: unknown };

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE).createIndex('time', 'time');
    request.onsuccess = () => {
      request.result.onclose = () => {
        opened = undefined;
      };
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/** Resolves when the transaction is complete. @throws if the browser refuses it, as without room */
async function inStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const transaction = (await database()).transaction(STORE, mode);
  const request = work(transaction.objectStore(STORE));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

const TAB = 'accession.tab';

/** The number of this tab, which survives a reload. */
function tab(): string {
  const known = sessionStorage.getItem(TAB);
  if (known !== null) return known;
  const made = crypto.getRandomValues(new Uint32Array(2)).join('-');
  sessionStorage.setItem(TAB, made);
  return made;
}

type User = string | null | undefined;

const keyOf = (user: User, name: string) => `${keptKey(user, name)}@${tab()}`;

/** @returns undefined if there is none, or no database */
export async function readData<T>(user: User, name: string): Promise<T | undefined> {
  try {
    await forgetOld();
    const entry: Entry | undefined = await inStore('readonly', (store) => store.get(keyOf(user, name)));
    return entry?.value as T | undefined;
  } catch {
    return undefined;
  }
}

/** @returns whether the value is kept */
export async function putData(user: User, name: string, value: unknown): Promise<boolean> {
  try {
    const entry: Entry = { time: Date.now(), value };
    await inStore('readwrite', (store) => store.put(entry, keyOf(user, name)));
    return true;
  } catch {
    // Half of the work, from before, would pass for all of it.
    await deleteData(user, name);
    return false;
  }
}

/** @returns true, since nothing is lost that is not wanted any more */
export async function deleteData(user: User, name: string): Promise<true> {
  await inStore('readwrite', (store) => store.delete(keyOf(user, name))).catch(() => {});
  return true;
}

/** Forgets the values of a user in all tabs. */
export async function forgetDataOf(user: User): Promise<void> {
  const first = keptKey(user, '');
  await inStore('readwrite', (store) => store.delete(IDBKeyRange.bound(first, `${first}\uffff`))).catch(
    () => {},
  );
}

async function forgetOld(): Promise<void> {
  const oldest = IDBKeyRange.upperBound(Date.now() - KEPT_MS);
  await inStore('readwrite', (store) => {
    const old = store.index('time').openKeyCursor(oldest);
    old.onsuccess = () => {
      if (!old.result) return;
      store.delete(old.result.primaryKey);
      old.result.continue();
    };
    return old;
  });
}
