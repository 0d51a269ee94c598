/** A history, read from its newest entry on: new entries go above those that are shown, older ones follow on request. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { useAction } from './action.ts';
import { useLoad } from './load.ts';
import { ErrorNote } from './notes.tsx';
import type { ClientError } from './service.ts';

type Entry = { readonly revision: number };
type Page<E> = { readonly items: readonly E[]; readonly next: number | null };
/** Reads the newest entries, or those before a revision. */
type Read<E> = (before: number | undefined, signal?: AbortSignal) => Promise<Page<E>>;

type Entries<E> = {
  /** Newest first; undefined until they are there. */
  readonly items: readonly E[] | undefined;
  readonly error: ClientError | undefined;
  readonly reload: () => void;
  /** Reads the entries before the last one; undefined if there are none. */
  readonly readOlder: (() => Promise<void>) | undefined;
};

/** @param version reads what is new when it changes */
export function useEntries<E extends Entry>(name: string, read: Read<E>, version: unknown): Entries<E> {
  const [shown, setShown] = useState<Page<E>>();
  const { error, reload } = useLoad(
    name,
    async (signal) => {
      let page = await read(undefined, signal);
      const newest = shown?.items[0]?.revision;
      while (newest !== undefined && page.next !== null && page.items.at(-1)!.revision > newest) {
        const { items, next } = await read(page.next, signal);
        page = { items: [...page.items, ...items], next };
      }
      setShown((now) => {
        if (!now) return page;
        const known = new Set(now.items.map(({ revision }) => revision));
        return {
          ...now,
          items: [...page.items.filter(({ revision }) => !known.has(revision)), ...now.items],
        };
      });
    },
    version,
  );
  const next = shown?.next ?? undefined;
  const readOlder = async () => {
    const page = await read(next);
    setShown((now) => ({ items: [...(now?.items ?? []), ...page.items], next: page.next }));
  };
  return { items: shown?.items, error, reload, readOlder: next === undefined ? undefined : readOlder };
}

/** The button below the last entry that is shown. */
export function OlderEntries({ read }: { read: (() => Promise<void>) | undefined }) {
  const { busy, error, run } = useAction(async () => read?.());
  if (!read) return null;
  return (
    <>
      {error && <ErrorNote error={error} />}
      <p>
        <button type="button" class="btn" disabled={busy} onClick={run}>
          {t('history.older')}
        </button>
      </p>
    </>
  );
}
