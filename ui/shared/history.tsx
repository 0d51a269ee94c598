/** The history of a record: each entry shows its own change. */

import { useState } from 'preact/hooks';
import { pointerKeys } from '#linkml/json.ts';
import type { HistoryEntry } from '../../src/client/client.ts';
import { t } from '../texts/texts.ts';
import { useAction } from './action.ts';
import { Dialog } from './dialog.tsx';
import { pidsAmong, type Titles, textOf } from './difference.tsx';
import { rangeAlong, type SlotsOf, slotsAlong, useSlotsOf } from './inlined.ts';
import type { Json } from './json.ts';
import { useLoad } from './load.ts';
import { Added, Marked, Removed } from './marks.tsx';
import { type ClassDescription, forget, type Range, slotTitle, written } from './schema.ts';
import { lab } from './service.ts';
import { may } from './session.ts';
import { useTitles } from './tile.tsx';
import { fullTime } from './time.ts';
import { toast } from './toast.tsx';
import { UserName, useUserNames } from './user-name.tsx';

export type Change = HistoryEntry['changes'][number];

type RecordHistory = {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** The entity tag of the curated record, read before the entries. */
  readonly etag: string | undefined;
};

/** Undefined if the token may not read the history. */
export function useHistory(collection: string, pid: string): RecordHistory | undefined {
  const { value } = useLoad(
    may(collection, 'curate') && pid ? `${collection}/${pid}` : undefined,
    async (signal) => {
      const { curated, history } = lab(collection, signal);
      const etag = (await curated.get(pid))?.etag;
      return { entries: (await history(pid)).toReversed(), etag };
    },
    written.value,
  );
  return value;
}

const SHOWN = 10;
const SHOWN_CHANGES = 6;

export function History({
  collection,
  history,
  pid,
  description,
  full = false,
}: {
  collection: string;
  history: RecordHistory;
  pid: string;
  description?: ClassDescription | undefined;
  full?: boolean;
}) {
  const [all, setAll] = useState(full);
  const { entries, etag } = history;
  const slotsOf = useSlotsOf(collection, description?.slots ?? []);
  const shown = all ? entries : entries.slice(0, SHOWN);
  const nameOf = useUserNames(
    collection,
    shown.map((entry) => entry.committer_id),
  );
  const changes = shown.filter((entry) => !isCreation(entry)).flatMap((entry) => entry.changes);
  const titles = useTitles(
    collection,
    pidsAmong(changes.flatMap(({ before = null, after = null }) => [before, after])),
  );
  return (
    <>
      <ol class="events">
        {shown.map((entry, index) => (
          <li key={entry.time_stamp}>
            <p>
              <b class="strong">
                {entry.author_id === null ? (
                  t('history.unknown')
                ) : (
                  <UserName collection={collection} id={entry.author_id} />
                )}
              </b>{' '}
              <span class="muted">{wordsOf(entry, nameOf)}</span>
            </p>
            <p class="tiny faint">
              <time dateTime={entry.time_stamp}>{fullTime(entry.time_stamp)}</time>
            </p>
            {!isCreation(entry) && <Delta {...{ entry, description, slotsOf, titles }} all={full} />}
            {full && index > 0 && entry.record !== null && (
              <RestoreButton
                collection={collection}
                pid={pid}
                entry={entry}
                expected={entries[0]!.deleted ? { ifNoneMatch: '*' } : { ifMatch: etag }}
              />
            )}
          </li>
        ))}
      </ol>
      {!all && entries.length > SHOWN && (
        <button type="button" class="linkish" onClick={() => setAll(true)}>
          {t('history.all', { n: entries.length })}
        </button>
      )}
    </>
  );
}

const isCreation = ({ changes }: HistoryEntry) =>
  changes.length === 1 && changes[0]?.path === '' && changes[0].op === 'add';

function wordsOf(entry: HistoryEntry, nameOf: (id: string) => string): string {
  const by =
    entry.committer_id && entry.committer_id !== entry.author_id
      ? `, ${t('history.by', { user: nameOf(entry.committer_id) })}`
      : '';
  if (entry.deleted) return t('history.deleted') + by;
  if (isCreation(entry)) return t('history.created') + by;
  const slots = new Set(entry.changes.map(({ path }) => path.split('/')[1])).size;
  return (slots === 0 ? t('history.same') : t('history.changed', { n: slots })) + by;
}

function Delta({
  entry,
  description,
  slotsOf,
  titles,
  all,
}: {
  entry: HistoryEntry;
  description: ClassDescription | undefined;
  slotsOf: SlotsOf;
  titles: Titles;
  all: boolean;
}) {
  const changes = entry.deleted ? [] : entry.changes;
  const shown = all ? changes : changes.slice(0, SHOWN_CHANGES);
  return (
    <div class="delta">
      {shown.map((change) => (
        <p key={change.path}>
          <b>{pathWords(change.path, description, slotsOf)}</b>{' '}
          <ChangeMarks
            change={change}
            titles={titles}
            range={rangeAlong(pointerKeys(change.path), description?.slots ?? [], slotsOf)}
            slotsOf={slotsOf}
          />
        </p>
      ))}
      {shown.length < changes.length && <p class="faint">+{changes.length - shown.length}</p>}
    </div>
  );
}

/** The titles of a path, as `Budget › amount`; positions in lists, and members that have no name, are left out. */
export function pathWords(path: string, description: ClassDescription | undefined, slotsOf: SlotsOf): string {
  const parts = pointerKeys(path);
  const along = slotsAlong(parts, description?.slots ?? [], slotsOf);
  const words = parts.map((part, index) => {
    const slot = along[index];
    if (slot) return slotTitle(slot);
    return /^(\d+|\[#\w+\])$/.test(part) ? [] : part.replaceAll('_', ' ');
  });
  return words.flat().join(' › ');
}

function ChangeMarks({
  change: { op, before = null, after = null },
  titles,
  range,
  slotsOf,
}: {
  change: Change;
  titles: Titles;
  range: Range | undefined;
  slotsOf: SlotsOf;
}) {
  const words = (value: Json) => textOf(value, { titles, range, slotsOf }, ', ');
  if (op === 'add') return <Added text={words(after)} />;
  if (op === 'remove') return <Removed text={words(before)} />;
  return <Marked before={words(before)} after={words(after)} />;
}

function RestoreButton({
  collection,
  pid,
  entry,
  expected,
}: {
  collection: string;
  pid: string;
  entry: HistoryEntry;
  /** The state to overwrite; a change since the history was read is not overwritten. */
  expected: { ifMatch?: string | undefined; ifNoneMatch?: '*' };
}) {
  const [open, setOpen] = useState(false);
  const { busy, error, run } = useAction(async () => {
    await lab(collection).restore(pid, entry.time_stamp, expected);
    toast(t('history.restored', { time: fullTime(entry.time_stamp) }));
    forget();
    setOpen(false);
  });
  return (
    <>
      <button type="button" class="btn small restore" onClick={() => setOpen(true)}>
        {t('history.restore')}
      </button>
      {open && (
        <Dialog
          title={t('history.restoreTitle', { time: fullTime(entry.time_stamp) })}
          confirm={t('history.restore')}
          busy={busy}
          error={error}
          onConfirm={run}
          onClose={() => setOpen(false)}
        >
          <p>{t('history.restoreHelp')}</p>
          <pre class="code inset short" tabIndex={0} role="region" aria-label={t('history.record')}>
            {JSON.stringify(entry.record, null, 2)}
          </pre>
        </Dialog>
      )}
    </>
  );
}
