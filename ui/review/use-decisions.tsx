/** Deciding in a view: accept at once, reject and defer with a reason, undo, and what to do if it is refused. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Decision, DecisionRequest, Submission } from '../../src/client/client.ts';
import { DECIDED } from '../shared/review.ts';
import { ClientError } from '../shared/service.ts';
import { shortTime } from '../shared/time.ts';
import { announcement, lastUndo, toast } from '../shared/toast.tsx';
import { countWaiting } from '../shared/waiting.ts';
import { type Key, t } from '../texts/texts.ts';
import { decide, madeBefore, proposalFor, undo } from './decide.ts';
import { titleOf } from './queue-columns.tsx';
import { ReasonDialog } from './reason-dialog.tsx';

type Asked = { row: Submission; verdict: 'reject' | 'defer' };
type Events = {
  onDecided: (row: Submission, decision: Decision) => void;
  onRefused: (error: ClientError) => void;
  onUndone?: (row: Submission) => void;
};

export type Decisions = {
  readonly busy: boolean;
  readonly accept: (row: Submission, more?: Partial<DecisionRequest>) => Promise<ClientError | undefined>;
  readonly askReason: (row: Submission, verdict: 'reject' | 'defer') => void;
  readonly undoLast: () => boolean;
  readonly dialog: ComponentChildren;
  /** Why the last decision was refused. */
  readonly notice: ComponentChildren;
  readonly clear: () => void;
};

export function useDecisions(collection: string, { onDecided, onRefused, onUndone }: Events): Decisions {
  const [asked, setAsked] = useState<Asked>();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<{ error: ClientError; row: Submission | undefined }>();
  const send = async (row: Submission, proposal: DecisionRequest): Promise<ClientError | undefined> => {
    if (busy) return undefined;
    setBusy(true);
    setRefusal(undefined);
    try {
      const decision = await decide(collection, proposal);
      const more = proposal.with_references?.length ?? 0;
      toast(wordsOf(row, decision, more), () => undoDecision(decision.id, row));
      onDecided(row, decision);
      countWaiting(collection);
      return undefined;
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      setRefusal({ error, row });
      announcement.value = refusalWords(error, row);
      onRefused(error);
      return error;
    } finally {
      setBusy(false);
      setAsked(undefined);
    }
  };
  const undoDecision = async (id: string, row: Submission) => {
    lastUndo.value = undefined;
    try {
      await undo(collection, id);
      toast(t('review.undone', { title: titleOf(row) }));
      onUndone?.(row);
      countWaiting(collection);
    } catch (error) {
      if (error instanceof ClientError) setRefusal({ error, row });
    }
  };
  return {
    busy,
    accept: (row, more = {}) => send(row, { ...proposalFor(row, 'accept'), ...more }),
    askReason: (row, verdict) => setAsked({ row, verdict }),
    undoLast: () => {
      lastUndo.value?.();
      return lastUndo.value !== undefined;
    },
    clear: () => setRefusal(undefined),
    dialog: asked && (
      <ReasonDialog
        collection={collection}
        kind={asked.verdict}
        className={asked.row.class}
        title={t(`reason.${asked.verdict}Title`, { title: titleOf(asked.row) })}
        busy={busy}
        onClose={() => setAsked(undefined)}
        onDecide={(reason, until) =>
          send(asked.row, {
            ...proposalFor(asked.row, asked.verdict),
            ...(reason ? { reason } : {}),
            ...(until ? { until } : {}),
          })
        }
      />
    ),
    notice: refusal && (
      <p class="banner st-diverged" role="alert">
        {refusalWords(refusal.error, refusal.row)}
      </p>
    ),
  };
}

function wordsOf(row: Submission, decision: Decision, more: number): string {
  const title = titleOf(row);
  if (decision.decision === 'accept')
    return more > 0 ? t('review.acceptedMore', { title, n: more }) : t('review.accepted', { title });
  const reason = decision.reason ? `: ${decision.reason}` : '.';
  return t(decision.decision === 'reject' ? 'review.rejected' : 'review.deferred', { title }) + reason;
}

/** Why a decision was refused, and what follows from that. */
export function refusalWords(error: ClientError, row: Submission | undefined): string {
  const title = row ? titleOf(row) : '';
  const before = madeBefore(error);
  switch (error.type) {
    case 'already_decided':
      return before
        ? t('review.decidedBy', {
            who: before.reviewer ?? t('history.unknown'),
            what: t(`state.${DECIDED[before.decision]}` as Key).toLowerCase(),
            title,
            time: shortTime(before.time),
          })
        : t('review.alreadyDecided', { title });
    case 'submission_changed':
      return t('review.submissionChanged');
    case 'precondition_failed':
      return t('review.curatedChanged');
    case 'record_missing':
      return t('review.gone', { title });
    case 'merge_conflict':
      return t('review.conflictsLeft');
    default:
      return error.status === 0 ? t('error.offline') : error.message;
  }
}
