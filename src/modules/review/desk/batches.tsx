/** Submissions that belong together: listed below the name of their batch, and withdrawn all at once. */
import { useRef, useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useGuard } from '../../../../ui/shared/guard.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { readMany } from '../../../../ui/shared/records.ts';
import { withQuery } from '../../../../ui/shared/router.ts';
import { RunningDialog } from '../../../../ui/shared/running-dialog.tsx';
import { written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { MOST_RECORDS, type Steps, sendGroups, together } from '../../../../ui/shared/several.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { OwnSubmission } from '../api-types.ts';
import { submissions } from '../client.ts';
import { tr } from './texts.ts';

type BatchGroup = {
  readonly batch: string | null;
  /** The message that all of them have. */
  readonly message: string | null;
  readonly rows: readonly { readonly row: OwnSubmission; readonly index: number }[];
};

/** The rows in their order, those of one batch that follow each other together. */
export function batchGroups(rows: readonly OwnSubmission[]): BatchGroup[] {
  const groups: { batch: string | null; message: string | null; rows: BatchGroup['rows'][number][] }[] = [];
  for (const [index, row] of rows.entries()) {
    const last = groups.at(-1);
    if (last && row.batch !== null && last.batch === row.batch) {
      last.rows.push({ row, index });
      if (last.message !== row.message) last.message = null;
    } else groups.push({ batch: row.batch, message: row.message, rows: [{ row, index }] });
  }
  return groups;
}

/** Submissions of these statuses are in the zone. */
export const IN_ZONE = [
  'waiting',
  'deferred',
  'rejected',
] as const satisfies readonly OwnSubmission['status'][];
const STATUS = IN_ZONE.join();
/** Submissions of a page. */
const SIZE = 100;

/** The name of a batch, its message, and what can be done with all of it. */
export function BatchHead({
  group: { batch, message, rows },
  onWithdraw,
}: {
  group: BatchGroup;
  /** Undefined if nothing of it can be withdrawn. */
  onWithdraw: (() => void) | undefined;
}) {
  if (batch === null) return null;
  return (
    <div class="head batch">
      <h2>
        <a class="tag" href={withQuery({ batch })}>
          <bdi>{batch}</bdi>
        </a>{' '}
        <span class="faint small">{tr('batch.shown', { n: rows.length })}</span>
      </h2>
      {onWithdraw && (
        <button type="button" class="btn small" onClick={onWithdraw}>
          {tr('batch.withdraw')}
        </button>
      )}
      {message && <p class="muted small">{tr('submissions.message', { text: message })}</p>}
    </div>
  );
}

/** A submission that was withdrawn, with what storing it again needs. */
type Withdrawn = { readonly row: OwnSubmission; readonly text: string };

/** Withdraws all of a batch that is in the zone; what was withdrawn is stored again by one undo. */
export function WithdrawBatch({
  collection,
  batch,
  onClose,
}: {
  collection: string;
  batch: string;
  onClose: () => void;
}) {
  const { value: total = 0 } = useLoad(
    `${collection}/${batch}`,
    async (signal) => {
      const found = await lab(collection, signal).use(submissions).list({ batch, status: STATUS, size: 1 });
      return Math.min(found.total, MOST_RECORDS);
    },
    written.value,
  );
  const [done, setDone] = useState<number>();
  const [left, setLeft] = useState(0);
  const stopper = useRef(new AbortController());
  /** What was withdrawn here, also before the service was away. */
  const withdrawn = useRef<Withdrawn[]>([]).current;
  const { busy, error, run } = useAction(async () => {
    stopper.current = new AbortController();
    const { signal } = stopper.current;
    setDone(0);
    const rows = await inZone(collection, batch, total);
    const refused = await withdrawEach(collection, rows, withdrawn, { signal, onDone: setDone }).finally(
      () => {
        afterWrite();
        setDone(undefined);
        if (withdrawn.length > 0)
          toast(tr('batch.withdrawn', { n: withdrawn.length }), () => storeAgain(collection, withdrawn));
      },
    );
    setLeft(refused);
    if (refused === 0) onClose();
  });
  useGuard(busy, t('running.leave'));
  if (busy && done !== undefined) {
    const words = tr('batch.withdrawing', { done, total });
    return <RunningDialog title={words} {...{ done, total }} onStop={() => stopper.current.abort()} />;
  }
  return (
    <Dialog
      danger
      icon={<StateMark name="withdrawn" />}
      title={tr('batch.withdrawTitle', { n: total, name: batch })}
      confirm={tr('batch.withdrawN', { n: total })}
      busy={busy || total === 0}
      error={error}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{left > 0 ? tr('batch.left', { n: left }) : tr('batch.withdrawHelp')}</p>
    </Dialog>
  );
}

/** Reads the submissions of a batch that are in the zone: all of them, before the first one leaves the list. */
async function inZone(collection: string, batch: string, total: number): Promise<OwnSubmission[]> {
  const own = lab(collection).use(submissions);
  const rows: OwnSubmission[] = [];
  for (let page = 1; rows.length < total; page++) {
    const { items } = await own.list({ batch, status: STATUS, page, size: SIZE });
    if (items.length === 0) break;
    rows.push(...items);
  }
  return rows;
}

/**
 * Withdraws submissions in groups, each in the state that was read.
 *
 * @param withdrawn gets those that are withdrawn
 * @returns how many stay, since they were changed or decided on meanwhile
 */
async function withdrawEach(
  collection: string,
  rows: readonly OwnSubmission[],
  withdrawn: Withdrawn[],
  steps: Steps,
): Promise<number> {
  let refused = 0;
  const texts = new Map<string, string>();
  const withdraw = async (group: readonly OwnSubmission[]) => {
    const pids = group.map(({ pid }) => pid);
    const found = await readMany(collection, pids);
    for (const [pid, { record }] of found) texts.set(pid, JSON.stringify(record));
    return lab(collection).deleteMany(pids.map((pid) => ({ pid, ifMatch: found.get(pid)?.etag ?? '*' })));
  };
  const onResult = (row: OwnSubmission, { status }: { readonly status: number }) => {
    const text = texts.get(row.pid);
    if (status === 200 && text !== undefined) withdrawn.push({ row, text });
    else refused++;
  };
  await sendGroups(together(rows), withdraw, onResult, steps);
  return refused;
}

/** Stores submissions again. What is not stored stays in the undo of the toast: it has the only copies. */
async function storeAgain(collection: string, withdrawn: readonly Withdrawn[]): Promise<void> {
  const stored = new Set<Withdrawn>();
  const groups = together(
    withdrawn,
    ({ row: { class: className, batch, message } }) => JSON.stringify([className, batch, message]),
    ({ text }) => text.length,
  );
  const store = (group: readonly Withdrawn[]) => {
    const { class: className, batch, message } = group[0]!.row;
    const note = { batch: batch ?? undefined, message: message ?? undefined };
    const texts = group.map(({ text }) => text);
    return lab(collection).putMany(texts, className, note);
  };
  const onResult = (one: Withdrawn, { status }: { readonly status: number }) => {
    if (status === 200) stored.add(one);
  };
  await sendGroups(groups, store, onResult).catch(() => {});
  const left = withdrawn.filter((one) => !stored.has(one));
  afterWrite();
  const words = tr('batch.restored', { n: stored.size });
  if (left.length === 0) toast(words);
  else
    toast(
      `${words} ${tr('batch.notRestored', { n: left.length })}`,
      () => storeAgain(collection, left),
      true,
    );
}
