/** Deciding in a view: accept at once, reject and defer with a reason, undo, and what to do if it is refused. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { isNotDone, isUnknown, returned } from '../../../../ui/shared/connection.ts';
import { whatBecame } from '../../../../ui/shared/lost-answer.ts';
import { place } from '../../../../ui/shared/router.ts';
import { asClientError, type ClientError } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { shortTime } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { type Key, t } from '../../../../ui/texts/texts.ts';
import type { Decision, DecisionRequest, Submission } from '../api-types.ts';
import { becameOf, decide, madeBefore, proposalFor } from './decide.ts';
import { titleOf } from './queue-columns.tsx';
import { ReasonDialog } from './reason-dialog.tsx';
import { tr } from './texts.ts';
import { dropStep, inOrder, noteStep, type Step, takeLastStep, undoStep } from './undo.ts';
import { DECIDED } from './verdicts.ts';
import { countWaiting } from './waiting.ts';

/** A decision that was sent and has no answer. */
type LostDecision = {
  readonly row: Submission;
  readonly proposal: DecisionRequest;
  readonly error: ClientError;
};
type PendingVerdict = { row: Submission; verdict: 'reject' | 'defer' };
type Events = {
  onDecided: (row: Submission, decision: Decision) => void;
  onRefused: (error: ClientError) => void;
  onUndone?: (step: Step) => void;
};

type Decisions = {
  readonly busy: boolean;
  readonly accept: (row: Submission, more?: Partial<DecisionRequest>) => void;
  readonly askReason: (row: Submission, verdict: 'reject' | 'defer') => void;
  readonly undoLast: () => boolean;
  readonly dialog: ComponentChildren;
  /** Why the last decision, or its undo, was refused. */
  readonly notice: ComponentChildren;
};

/** Why the service refused the last decision or undo of this tab. */
const refusal = signal<{ readonly error: ClientError; readonly title: string } | undefined>(undefined);

export function useDecisions(collection: string, { onDecided, onRefused, onUndone }: Events): Decisions {
  const [asked, setAsked] = useState<PendingVerdict>();
  const [lost, setLost] = useState<LostDecision>();
  const { busy, run } = useAction((row: Submission, proposal: DecisionRequest, before?: ClientError) =>
    inOrder(async () => {
      refusal.value = undefined;
      setLost(undefined);
      try {
        const decision = await (before
          ? whatBecame(before, () => becameOf(collection, proposal))
          : decide(collection, proposal));
        afterWrite();
        const step = noteStep({
          collection,
          decisions: [decision.id],
          label: row.label,
          pid: row.pid,
          title: titleOf(row),
        });
        toast(wordsOf(row, decision, proposal.with_references?.length ?? 0), () => {
          dropStep(step);
          undo(step, onUndone);
        });
        onDecided(row, decision);
        countWaiting(collection);
      } catch (problem) {
        const error = asClientError(problem);
        // The bar says that the service is away, not what that means for the decision.
        refusal.value = { error, title: titleOf(row) };
        if (isUnknown(error)) setLost({ row, proposal, error });
        onRefused(error);
        throw error;
      } finally {
        setAsked(undefined);
      }
    }),
  );
  useEffect(() => {
    if (lost) run(lost.row, lost.proposal, lost.error);
  }, [returned.value]);
  return {
    busy,
    accept: (row, more = {}) => {
      if (!busy) run(row, { ...proposalFor(row, 'accept'), ...more });
    },
    askReason: (row, verdict) => setAsked({ row, verdict }),
    undoLast: () => undoLast(collection, onUndone),
    dialog: asked && (
      <ReasonDialog
        collection={collection}
        kind={asked.verdict}
        about={`${asked.row.label}/${asked.row.pid}`}
        className={asked.row.class}
        title={tr(`reason.${asked.verdict}Title`, { title: titleOf(asked.row) })}
        busy={busy}
        onClose={() => setAsked(undefined)}
        onDecide={(reason, until) =>
          run(asked.row, {
            ...proposalFor(asked.row, asked.verdict),
            ...(reason && { reason }),
            ...(until && { until }),
          })
        }
      />
    ),
    notice: <Refused />,
  };
}

/** Why the last decision or undo was refused, above the content; the focus goes there. */
export function Refused() {
  const sentence = useRef<HTMLParagraphElement>(null);
  const refused = refusal.value;
  const { key } = place.value;
  useEffect(() => {
    refusal.value = undefined;
  }, [key]);
  useEffect(() => sentence.current?.focus(), [refused]);
  return (
    refused && (
      <p class="banner st-diverged" role="alert" tabIndex={-1} ref={sentence}>
        {refusalWords(refused.error, refused.title)}
      </p>
    )
  );
}

/** Undoes the last step in a collection, also one that is still being decided. @returns false if there is none */
export function undoLast(collection: string, onUndone?: (step: Step) => void): boolean {
  const taken = takeLastStep(collection);
  taken?.then((step) => step && undo(step, onUndone));
  return taken !== undefined;
}

/** Undoes decisions, and says what waits again. */
export async function undo(step: Step, onUndone?: (step: Step) => void): Promise<void> {
  const total = step.decisions.length;
  refusal.value = undefined;
  const { undone, errors } = await undoStep(step, (done) => {
    if (total > 1) toast(tr('bulk.undoing', { done, total }));
  });
  if (total > 1) toast(tr('bulk.undone', { n: undone }));
  else if (undone === 1) toast(tr('review.undone', { title: step.title }));
  if (undone > 0) onUndone?.(step);
  if (errors.length > 0) refusal.value = { error: errors[0]!, title: step.title };
  countWaiting(step.collection);
}

function wordsOf(row: Submission, decision: Decision, more: number): string {
  const title = titleOf(row);
  if (decision.decision === 'approve') return tr('approval.made', { title });
  if (decision.decision === 'accept')
    return more > 0 ? tr('review.acceptedMore', { title, n: more }) : tr('review.accepted', { title });
  const reason = decision.reason ? `: ${decision.reason}` : '.';
  return tr(decision.decision === 'reject' ? 'review.rejected' : 'review.deferred', { title }) + reason;
}

/** Why a decision was refused, and what follows from that. */
export function refusalWords(error: ClientError, title: string): string {
  const before = madeBefore(error);
  switch (error.type) {
    case 'own_submission':
      return tr('approval.own', { title });
    case 'already_decided':
      if (before?.decision === 'approve') return tr('approval.again', { title });
      return before
        ? tr('review.decidedBy', {
            who: before.reviewer ?? t('history.unknown'),
            what: t(`state.${DECIDED[before.decision]}` as Key).toLowerCase(),
            title,
            time: shortTime(before.time),
          })
        : tr('review.alreadyDecided', { title });
    case 'submission_changed':
      return tr('review.submissionChanged');
    case 'precondition_failed':
      return tr('review.curatedChanged');
    case 'record_missing':
      return tr('review.gone', { title });
    case 'merge_conflict':
      return tr('review.conflictsLeft');
    case 'already_undone':
      return tr('review.alreadyUndone', { title });
    case 'curated_changed':
      return tr('review.curatedChangedSince', { title });
    case 'zone_changed':
      return tr('review.zoneChangedSince', { title });
    default:
      if (isUnknown(error)) return tr('review.unknown', { title });
      return isNotDone(error) ? tr('review.notDone', { title }) : error.message;
  }
}
