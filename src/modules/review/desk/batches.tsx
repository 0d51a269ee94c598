/** Submissions that belong together: listed below the name of their batch, and withdrawn all at once. */
import { useRef, useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Progress } from '../../../../ui/shared/notes.tsx';
import { withQuery } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { forEachOf } from '../../../../ui/shared/several.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { OwnSubmission } from '../api-types.ts';
import { submissions } from '../client.ts';
import { tr } from './texts.ts';

export type BatchGroup = {
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

/** Withdraws all of a batch that is in the zone, a few at a time; what was withdrawn is stored again by one undo. */
export function WithdrawBatch({
  collection,
  batch,
  onClose,
}: {
  collection: string;
  batch: string;
  onClose: () => void;
}) {
  const status = IN_ZONE.join();
  const own = () => lab(collection).use(submissions);
  const { value: total } = useLoad(`${collection}/${batch}`, async (signal) => {
    const found = await lab(collection, signal).use(submissions).list({ batch, status, size: 1 });
    return found.total;
  });
  const [done, setDone] = useState<number>();
  const [left, setLeft] = useState(0);
  const stopper = useRef(new AbortController());
  const { busy, error, run } = useAction(async () => {
    stopper.current = new AbortController();
    const { signal } = stopper.current;
    setDone(0);
    const rows: OwnSubmission[] = [];
    // All are read before the first one leaves the list.
    for (let page = 1; rows.length < (total ?? 0); page++) {
      const { items } = await own().list({ batch, status, page, size: SIZE });
      if (items.length === 0) break;
      rows.push(...items);
    }
    const withdrawn: Withdrawn[] = [];
    let refused = 0;
    const withdraw = async (row: OwnSubmission) => {
      const found = await lab(collection).get(row.pid);
      // One that is changed or decided on meanwhile stays.
      await lab(collection)
        .delete(row.pid, { ifMatch: found?.etag })
        .then(
          () => withdrawn.push({ row, text: found?.text ?? '' }),
          () => refused++,
        );
    };
    await forEachOf(rows, withdraw, { signal, onDone: setDone }).finally(() => {
      afterWrite();
      setDone(undefined);
      if (withdrawn.length > 0)
        toast(tr('batch.withdrawn', { n: withdrawn.length }), () => storeAgain(collection, withdrawn));
    });
    setLeft(refused);
    if (refused === 0) onClose();
  });
  const stop = () => stopper.current.abort();
  if (busy && done !== undefined) {
    const words = tr('batch.withdrawing', { done, total: total ?? 0 });
    return (
      <Dialog title={words} confirm={t('action.stop')} onConfirm={stop} onClose={stop}>
        <Progress done={done} total={total ?? 0} label={words} />
      </Dialog>
    );
  }
  return (
    <Dialog
      danger
      icon={<StateMark name="withdrawn" />}
      title={tr('batch.withdrawTitle', { n: total ?? 0, name: batch })}
      confirm={tr('batch.withdrawN', { n: total ?? 0 })}
      busy={busy || !total}
      error={error}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{left > 0 ? tr('batch.left', { n: left }) : tr('batch.withdrawHelp')}</p>
    </Dialog>
  );
}

async function storeAgain(collection: string, withdrawn: readonly Withdrawn[]): Promise<void> {
  let stored = 0;
  await forEachOf(withdrawn, async ({ row: { class: className, batch, message }, text }) => {
    const note = { batch: batch ?? undefined, message: message ?? undefined };
    await lab(collection)
      .put(className, text, note)
      .then(
        () => stored++,
        () => {},
      );
  });
  afterWrite();
  toast(tr('batch.restored', { n: stored }));
}
