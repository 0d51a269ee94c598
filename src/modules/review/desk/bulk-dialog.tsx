/** One decision on many submissions: confirmed with what it concerns, with progress, and stoppable. */

import { useRef, useState } from 'preact/hooks';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import type { JsonObject } from '../../../../ui/shared/json.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote, Progress } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { localPart } from '../../../../ui/shared/schema.ts';
import { asClientError, ClientError, lab } from '../../../../ui/shared/service.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { count } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { DecisionResult, QueueSummary, Submission } from '../api-types.ts';
import { review } from '../client.ts';
import { decideByFilter, decideMany, proposalFor, type Run } from './decide.ts';
import { titleOf } from './queue-columns.tsx';
import type { QueueFilter } from './queue-filters.tsx';
import { ReasonDialog } from './reason-dialog.tsx';
import { tr } from './texts.ts';
import { dropStep, noteStep } from './undo.ts';
import { refusalWords, undo } from './use-decisions.tsx';
import type { Verdict } from './verdicts.ts';
import { countWaiting } from './waiting.ts';

type Props = {
  collection: string;
  /** `valid`: what the filter selects and is new and valid is accepted. */
  kind: Verdict | 'valid';
  rows: readonly Submission[];
  filter: QueueFilter;
  onClose: () => void;
};

type State =
  | { readonly step: 'asked'; readonly error?: ClientError }
  | {
      readonly step: 'running' | 'done';
      readonly results: readonly DecisionResult[];
      readonly error?: ClientError;
    };

export function BulkDialog({ collection, kind, rows, filter, onClose }: Props) {
  const stopped = useRef(false);
  const [state, setState] = useState<State>({ step: 'asked' });
  const selection = { ...filter, state: 'new', valid: true };
  const summary = useLoad(kind === 'valid' ? 'summary' : undefined, (signal) =>
    lab(collection, signal).use(review).summary(selection),
  );
  const counts = summary.value;
  const total = kind === 'valid' ? (counts?.total ?? 0) : rows.length;
  const run = async (work: (run: Run) => Promise<void>): Promise<boolean> => {
    const results: DecisionResult[] = [];
    let error: ClientError | undefined;
    setState({ step: 'running', results });
    try {
      await work({
        onResults: (more) => {
          results.push(...more);
          setState({ step: 'running', results: [...results] });
        },
        isStopped: () => stopped.current,
      });
    } catch (problem) {
      error = asClientError(problem);
    }
    noteResults(collection, results, rows);
    afterWrite();
    countWaiting(collection);
    if (!error && !stopped.current && results.every(({ status }) => status === 200)) {
      onClose();
      return true;
    }
    const failure = error && { error };
    setState(results.length > 0 ? { step: 'done', results, ...failure } : { step: 'asked', ...failure });
    return results.length > 0;
  };
  const decideRows = (verdict: Verdict, reason?: string, until?: string) =>
    run((steps) => {
      const words = { ...(reason && { reason }), ...(until && { until }) };
      return decideMany(
        collection,
        rows.map((row) => ({ ...proposalFor(row, verdict), ...words })),
        steps,
      );
    });
  const acceptValid = () =>
    run((steps) => {
      const given = Object.entries(selection).filter(([, value]) => value !== undefined);
      const chosen = {
        filter: Object.fromEntries(given) as JsonObject,
        expected: total,
        asOf: counts?.as_of,
      };
      return decideByFilter(collection, { ...chosen, decision: 'accept' }, steps);
    });
  if (state.step === 'done')
    return <Summed collection={collection} {...state} total={total} rows={rows} onClose={onClose} />;
  if (state.step === 'running') {
    const done = state.results.length;
    const stop = () => {
      stopped.current = true;
    };
    return (
      <Dialog
        title={tr('bulk.running', { done, total })}
        confirm={t('action.stop')}
        onConfirm={stop}
        onClose={stop}
      >
        <Progress done={done} total={total} label={tr('bulk.running', { done, total })} />
        <p class="small muted">{tr('bulk.stopHelp')}</p>
      </Dialog>
    );
  }
  if (kind === 'reject' || kind === 'defer') {
    return (
      <ReasonDialog
        collection={collection}
        kind={kind}
        about="bulk"
        title={tr(`reason.${kind}Many`, { n: rows.length })}
        count={rows.length}
        error={state.error}
        onClose={onClose}
        onDecide={(reason, until) => decideRows(kind, reason, until)}
      />
    );
  }
  const isEmpty = kind === 'valid' && counts !== undefined && total === 0;
  return (
    <Dialog
      icon={<StateMark name="accepted" size={16} />}
      title={isEmpty ? tr('bulk.noneValid') : tr('bulk.title', { n: total })}
      {...(!isEmpty && { confirm: tr('bulk.accept', { n: total }) })}
      busy={total === 0}
      onConfirm={() => (kind === 'valid' ? acceptValid() : decideRows('accept'))}
      onClose={onClose}
    >
      <p>{tr(isEmpty ? 'bulk.noneValidHelp' : kind === 'valid' ? 'bulk.valid' : 'bulk.chosen')}</p>
      {counts && total > 0 && <Classes counts={counts} chosen={filter.class} />}
      {kind === 'valid' && total > 0 && <p class="small muted">{tr('bulk.selection')}</p>}
      {state.error &&
        (state.error.type === 'selection_changed' ? (
          <p class="note st-diverged">{tr('bulk.changed')}</p>
        ) : (
          <ErrorNote error={state.error} />
        ))}
    </Dialog>
  );
}

/** Many decisions are one step for `U`, and one toast. */
function noteResults(
  collection: string,
  results: readonly DecisionResult[],
  rows: readonly Submission[],
): void {
  const made = results.flatMap(({ decision }) => (decision ? [decision] : []));
  const [first] = made;
  if (!first) return;
  const row = rows.find(({ label, pid }) => label === first.label && pid === first.pid);
  const step = noteStep({
    ...{ collection, decisions: made.map(({ id }) => id) },
    ...{ label: first.label, pid: first.pid, title: row ? titleOf(row) : localPart(first.pid) },
  });
  toast(tr('bulk.done', { n: made.length }), () => {
    dropStep(step);
    undo(step);
  });
}

/** How many there are of each class; the counts of a summary ignore the filter on the class. */
function Classes({
  counts: { total, by_class },
  chosen,
}: {
  counts: QueueSummary;
  chosen: string | undefined;
}) {
  const entries = chosen === undefined ? Object.entries(by_class) : [[chosen, total] as const];
  return (
    <table class="inner">
      <thead>
        <tr>
          <th scope="col">{tr('queue.class')}</th>
          <th scope="col" class="right">
            {t('home.records')}
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map(([name, n]) => (
          <tr key={name}>
            <td>{name}</td>
            <td class="right num">{count(n)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Lists the decisions, and for each refusal the submission with the reason. */
function Summed({
  collection,
  results,
  error,
  total,
  rows,
  onClose,
}: {
  collection: string;
  results: readonly DecisionResult[];
  error?: ClientError | undefined;
  total: number;
  rows: readonly Submission[];
  onClose: () => void;
}) {
  const refused = results.filter(({ status }) => status !== 200);
  const open = total - results.length;
  const nameOf = ({ label, pid }: DecisionResult) => {
    const row = rows.find((one) => one.label === label && one.pid === pid);
    return row ? titleOf(row) : localPart(pid);
  };
  return (
    <Dialog title={tr('bulk.done', { n: results.length - refused.length })} onClose={onClose}>
      {open > 0 && <p>{tr('bulk.stopped', { n: open })}</p>}
      {error && <ErrorNote error={error} />}
      {refused.length > 0 && (
        <>
          <p>{tr('bulk.failed', { n: refused.length })}</p>
          <ul class="stack-s failures">
            {refused.map((one) => (
              <li key={`${one.label} ${one.pid}`}>
                <a
                  href={urlOf([collection, 'review', 'item'], { label: one.label, pid: one.pid })}
                  onClick={onClose}
                >
                  <bdi>{nameOf(one)}</bdi>
                </a>{' '}
                <span class="muted">{refusalWords(errorOf(one), nameOf(one))}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

/** The refusal of one of many as the error that it would be alone. */
function errorOf(result: DecisionResult): ClientError {
  const detail = result.detail ?? [];
  const words = detail.map(({ msg }) => msg).join(' ');
  return new ClientError(words, result.status, detail, { body: result as unknown as JsonObject });
}
