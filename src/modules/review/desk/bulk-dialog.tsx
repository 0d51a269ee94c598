/** One decision on many submissions: confirmed with what it concerns, with progress, and stoppable. */

import { useRef, useState } from 'preact/hooks';
import { returned } from '../../../../ui/shared/connection.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useGuard } from '../../../../ui/shared/guard.ts';
import type { JsonObject } from '../../../../ui/shared/json.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { RunningDialog } from '../../../../ui/shared/running-dialog.tsx';
import { localPart } from '../../../../ui/shared/schema.ts';
import { asClientError, type ClientError, lab } from '../../../../ui/shared/service.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { count } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type {
  AssignmentResult,
  CommentRequest,
  CommentResult,
  Decision,
  DecisionResult,
  QueueSummary,
  Submission,
} from '../api-types.ts';
import { review } from '../client.ts';
import { AssignDialog, type Assigning } from './assign.tsx';
import { CommentDialog } from './comment-dialog.tsx';
import {
  assignMany,
  chunksOf,
  commentMany,
  decideByFilter,
  decideMany,
  errorOf,
  proposalFor,
  type Run,
  submissionsIn,
} from './decide.ts';
import { titleOf } from './queue-columns.tsx';
import type { QueueFilter } from './queue-filters.tsx';
import { ReasonDialog } from './reason-dialog.tsx';
import { tr } from './texts.ts';
import { dropStep, noteStep } from './undo.ts';
import { refusalWords, undo } from './use-decisions.tsx';
import type { Verdict } from './verdicts.ts';
import { countWaiting } from './waiting.ts';

/** `valid`: what the filter selects and is new and valid is accepted. `ask`: submitters are asked for something. `assign`: who is to decide. */
export type BulkKind = Verdict | 'valid' | 'ask' | 'assign';

/** The words of a run and of what it has done. */
const WORDS = {
  ask: { running: 'bulk.asking', done: 'bulk.asked' },
  assign: { running: 'assign.running', done: 'assign.done' },
  decide: { running: 'bulk.running', done: 'bulk.done' },
} as const;

type Props = {
  collection: string;
  kind: BulkKind;
  rows: readonly Submission[];
  /** Whether it is for all that the filter selects, not for the rows. */
  isWhole: boolean;
  filter: QueueFilter;
  onDecided: (made: readonly Decision[]) => void;
  onClose: () => void;
};

type Result = DecisionResult | CommentResult | AssignmentResult;

type State =
  | { readonly step: 'asked'; readonly error?: ClientError }
  | {
      readonly step: 'running' | 'done';
      readonly results: readonly Result[];
      readonly error?: ClientError;
    };

export function BulkDialog({ collection, kind, rows, isWhole, filter, onDecided, onClose }: Props) {
  const stopped = useRef(false);
  const [state, setState] = useState<State>({ step: 'asked' });
  const words = WORDS[kind === 'ask' || kind === 'assign' ? kind : 'decide'];
  const byFilter = kind === 'valid' || isWhole;
  const selection = kind === 'valid' ? { ...filter, state: 'new', valid: true } : filter;
  const summary = useLoad(
    byFilter ? 'summary' : undefined,
    (signal) => lab(collection, signal).use(review).summary(selection),
    // Some may be decided whose answer was lost.
    returned.value,
  );
  const counts = summary.value;
  /** Why nothing was done, or why it is not known how many there are. */
  const failure = state.error ?? summary.error;
  /** What to do if it is not known what was done. */
  const unknown = words === WORDS.decide ? tr('bulk.unknown') : undefined;
  const total = byFilter ? (counts?.total ?? 0) : rows.length;
  const known = rows.filter(({ conflicts }) => conflicts > 0).length;
  const counted = useLoad(kind === 'accept' && isWhole ? 'conflicts' : undefined, async (signal) => {
    const { total: n } = await lab(collection, signal)
      .use(review)
      .summary({ ...selection, conflicts: true });
    return n;
  });
  const conflicts = isWhole ? counted.value : known;
  /** How many are accepted. Those with conflicts stay. */
  const accepted = kind === 'accept' ? total - (conflicts ?? 0) : total;
  useGuard(state.step === 'running', t('running.leave'));
  const run = async <One extends Result>(work: (run: Run<One>) => Promise<void>): Promise<boolean> => {
    const results: Result[] = [];
    stopped.current = false;
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
    const made = results.filter(isMade).length;
    onDecided(decisionsIn(results));
    if (words === WORDS.decide) noteResults(collection, results, rows);
    else if (made > 0) toast(tr(words.done, { n: made }));
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
  const decideAll = (decision: Verdict, reason?: string, until?: string) =>
    run<DecisionResult>((steps) => {
      const said = { ...(reason && { reason }), ...(until && { until }) };
      if (byFilter) {
        const chosen = { filter: selection as JsonObject, expected: total, asOf: counts?.as_of };
        return decideByFilter(collection, { ...chosen, decision, words: said }, steps);
      }
      const proposals = rows.map((row) => ({ ...proposalFor(row, decision), ...said }));
      return decideMany(collection, proposals, steps);
    });
  const groups = () => (byFilter ? submissionsIn(collection, filter, counts!) : chunksOf(rows));
  const ask = (text: string, requests: CommentRequest['requests']) =>
    run<CommentResult>((steps) =>
      commentMany(collection, groups(), { text, requests: requests ?? null }, steps),
    );
  const assign = (assigning: Assigning) =>
    run<AssignmentResult>((steps) => assignMany(collection, groups(), assigning, steps));
  if (state.step === 'done')
    return (
      <Summed
        title={tr(words.done, { n: state.results.filter(isMade).length })}
        {...{ collection, total, rows, unknown, onClose, ...state }}
      />
    );
  if (state.step === 'running') {
    const done = state.results.length;
    const title = tr(words.running, { done, total });
    const onStop = () => {
      stopped.current = true;
    };
    return <RunningDialog {...{ title, done, total, onStop }} help={tr('bulk.stopHelp')} />;
  }
  if (kind === 'ask')
    return (
      <CommentDialog
        asks="changes"
        title={tr('bulk.askTitle', { n: total })}
        help={tr('bulk.askHelp')}
        about={`${collection}/bulk`}
        busy={total === 0}
        send={ask}
        failure={failure}
        onSent={() => {}}
        onClose={onClose}
      />
    );
  if (kind === 'assign')
    return (
      <AssignDialog
        collection={collection}
        title={tr('assign.many', { n: total })}
        waits={total === 0}
        send={assign}
        failure={failure}
        onSent={() => {}}
        onClose={onClose}
      />
    );
  if (kind === 'reject' || kind === 'defer') {
    return (
      <ReasonDialog
        collection={collection}
        kind={kind}
        about="bulk"
        title={tr(`reason.${kind}Many`, { n: total })}
        count={total}
        busy={total === 0}
        error={failure}
        onClose={onClose}
        onDecide={(reason, until) => decideAll(kind, reason, until)}
      />
    );
  }
  const isEmpty = kind === 'valid' && counts !== undefined && total === 0;
  const isRefused = total > 0 && accepted === 0;
  return (
    <Dialog
      icon={<StateMark name="accepted" size={16} />}
      title={
        isEmpty
          ? tr('bulk.noneValid')
          : isRefused
            ? tr('bulk.allConflict', { n: total })
            : tr('bulk.title', { n: total })
      }
      {...(!isEmpty && !isRefused && { confirm: tr('bulk.accept', { n: accepted }) })}
      busy={total === 0}
      onConfirm={() => decideAll('accept')}
      onClose={onClose}
    >
      {!isRefused && (
        <p>{tr(isEmpty ? 'bulk.noneValidHelp' : kind === 'valid' ? 'bulk.valid' : 'bulk.chosen')}</p>
      )}
      {kind === 'accept' && conflicts === 0 && <p class="muted">{tr('bulk.noConflicts', { n: total })}</p>}
      {kind === 'accept' && conflicts !== undefined && conflicts > 0 && (
        <p class="strong st-diverged">{tr('bulk.conflicts', { n: conflicts })}</p>
      )}
      {counts && total > 0 && <Classes counts={counts} chosen={filter.class} />}
      {byFilter && total > 0 && <p class="small muted">{tr('bulk.selection')}</p>}
      {failure &&
        (failure.type === 'selection_changed' ? (
          <p class="note st-diverged">{tr('bulk.changed')}</p>
        ) : (
          <ErrorNote error={failure} unknown={unknown} />
        ))}
    </Dialog>
  );
}

const decisionsIn = (results: readonly Result[]): readonly Decision[] =>
  results.flatMap((one) => ('decision' in one && one.decision ? [one.decision] : []));

/** Many decisions are one step for `U`, and one toast. */
function noteResults(collection: string, results: readonly Result[], rows: readonly Submission[]): void {
  const made = decisionsIn(results);
  const [first] = made;
  if (!first) return;
  const row = rows.find(({ label, pid }) => label === first.label && pid === first.pid);
  const step = noteStep({
    collection,
    decisions: made.map(({ id }) => id),
    label: first.label,
    pid: first.pid,
    title: row ? titleOf(row) : localPart(first.pid),
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

const isMade = ({ status }: Result) => status === 200;

/** Refusals that are listed. */
const LISTED = 100;

/** Lists the decisions, and for each refusal the submission with the reason. */
function Summed({
  collection,
  title,
  results,
  error,
  unknown,
  total,
  rows,
  onClose,
}: {
  collection: string;
  title: string;
  results: readonly Result[];
  error?: ClientError | undefined;
  unknown: string | undefined;
  total: number;
  rows: readonly Submission[];
  onClose: () => void;
}) {
  const refused = results.filter((one) => !isMade(one));
  const open = total - results.length;
  const nameOf = ({ label, pid }: Result) => {
    const row = rows.find((one) => one.label === label && one.pid === pid);
    return row ? titleOf(row) : localPart(pid);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {open > 0 && <p>{tr('bulk.stopped', { n: open })}</p>}
      {error && <ErrorNote error={error} unknown={unknown} />}
      {refused.length > 0 && (
        <>
          <p>{tr('bulk.failed', { n: refused.length })}</p>
          <ul class="stack-s failures">
            {refused.slice(0, LISTED).map((one) => (
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
          {refused.length > LISTED && (
            <p class="muted">{tr('bulk.failedMore', { n: refused.length - LISTED })}</p>
          )}
        </>
      )}
    </Dialog>
  );
}
