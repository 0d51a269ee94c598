/** One decision on many submissions: confirmed with what it concerns, with progress, and stoppable. */

import { useRef, useState } from 'preact/hooks';
import type { ClientError, DecisionResult, QueueSummary, Submission } from '../../src/client/client.ts';
import { Dialog } from '../shared/dialog.tsx';
import type { Json } from '../shared/json.ts';
import { useLoad } from '../shared/load.ts';
import { ErrorNote, Progress } from '../shared/notes.tsx';
import type { Verdict } from '../shared/review.ts';
import { lab } from '../shared/service.ts';
import { StateMark } from '../shared/state.tsx';
import { count } from '../shared/time.ts';
import { countWaiting } from '../shared/waiting.ts';
import { t } from '../texts/texts.ts';
import { decideByFilter, decideMany, proposalFor } from './decide.ts';
import type { Filter } from './queue-filters.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

type Props = {
  collection: string;
  kind: Verdict | 'valid';
  rows: readonly Submission[];
  filter: Filter;
  onClose: () => void;
};

export function BulkDialog({ collection, kind, rows, filter, onClose }: Props) {
  const stopped = useRef(false);
  const [done, setDone] = useState<number>();
  const [outcomes, setOutcomes] = useState<readonly DecisionResult[]>();
  const [error, setError] = useState<ClientError>();
  const given = Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  ) as Record<string, Json>;
  const summary = useLoad(kind === 'valid' ? 'summary' : undefined, (signal) =>
    lab(collection, signal).review.summary({ ...filter, state: 'new', valid: true }),
  );
  const counts = summary.value;
  const total = kind === 'valid' ? (counts?.total ?? 0) : rows.length;
  const run = async (work: () => Promise<DecisionResult[]>) => {
    setDone(0);
    try {
      setOutcomes(await work());
    } catch (problem) {
      setError(problem as ClientError);
      setDone(undefined);
    }
    countWaiting(collection);
  };
  const steps = { onDone: setDone, isStopped: () => stopped.current };
  const decideRows = (verdict: Verdict, reason?: string, until?: string) =>
    run(() =>
      decideMany(
        collection,
        rows.map((row) => ({
          ...proposalFor(row, verdict),
          ...(reason ? { reason } : {}),
          ...(until ? { until } : {}),
        })),
        steps,
      ),
    );
  const acceptValid = () =>
    run(() =>
      decideByFilter(
        collection,
        {
          filter: { ...given, state: 'new', valid: true },
          expected: total,
          asOf: counts?.as_of,
          decision: 'accept',
        },
        steps,
      ),
    );
  if (outcomes) return <Summed outcomes={outcomes} total={total} onClose={onClose} />;
  if (done !== undefined) {
    return (
      <Dialog
        title={t('bulk.running', { done, total })}
        confirm={t('action.stop')}
        onConfirm={() => {
          stopped.current = true;
        }}
        onClose={() => {
          stopped.current = true;
        }}
      >
        <Progress done={done} total={total} label={t('bulk.running', { done, total })} />
        <p class="small muted">{t('bulk.stopHelp')}</p>
      </Dialog>
    );
  }
  if (kind === 'reject' || kind === 'defer') {
    return (
      <ReasonDialog
        collection={collection}
        kind={kind}
        title={t(`reason.${kind}Many`, { n: rows.length })}
        count={rows.length}
        onClose={onClose}
        onDecide={(reason, until) => decideRows(kind, reason, until)}
      />
    );
  }
  return (
    <Dialog
      icon={<StateMark name="accepted" size={16} />}
      title={t('bulk.title', { n: total })}
      confirm={t('bulk.accept', { n: total })}
      onConfirm={() => (kind === 'valid' ? total > 0 && acceptValid() : decideRows('accept'))}
      onClose={onClose}
    >
      <p>{t(kind === 'valid' ? 'bulk.valid' : 'bulk.chosen')}</p>
      {counts && <Kinds counts={counts} />}
      {kind === 'valid' && <p class="small muted">{t('bulk.selection')}</p>}
      {error &&
        (error.type === 'selection_changed' ? (
          <p class="note st-diverged">{t('bulk.changed')}</p>
        ) : (
          <ErrorNote error={error} />
        ))}
    </Dialog>
  );
}

function Kinds({ counts }: { counts: QueueSummary }) {
  return (
    <table class="inner">
      <thead>
        <tr>
          <th scope="col">{t('queue.class')}</th>
          <th scope="col" class="right">
            {t('home.records')}
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(counts.by_class).map(([name, n]) => (
          <tr key={name}>
            <td>{name}</td>
            <td class="right num">{count(n)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Summed({
  outcomes,
  total,
  onClose,
}: {
  outcomes: readonly DecisionResult[];
  total: number;
  onClose: () => void;
}) {
  const failed = outcomes.filter(({ status }) => status !== 200);
  const open = total - outcomes.length;
  return (
    <Dialog title={t('bulk.done', { n: outcomes.length - failed.length })} onClose={onClose}>
      {open > 0 && <p>{t('bulk.stopped', { n: open })}</p>}
      {failed.length > 0 && (
        <>
          <p>{t('bulk.failed', { n: failed.length })}</p>
          <ul class="stack-s failures">
            {failed.map((one) => (
              <li key={`${one.label} ${one.pid}`}>
                <bdi class="mono">{one.pid}</bdi>{' '}
                <span class="muted">{one.detail?.map(({ msg }) => msg).join(' ')}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
