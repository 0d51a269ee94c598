/** Shows the effect of another version: in the schema, and on the records by outcome, with corrections for those that need them. */
import { useState } from 'preact/hooks';
import { Empty } from '../../../../ui/shared/notes.tsx';
import { StateMark, type StateName } from '../../../../ui/shared/state.tsx';
import { count } from '../../../../ui/shared/time.ts';
import type { Rehearsal } from '../client.ts';
import { changeWords } from './change-words.ts';
import { type Corrections, correctionsFrom, type RehearsedRecord, withTexts } from './corrections.ts';
import { ForceDialog } from './force-dialog.tsx';
import { JudgedRecords } from './judged-records.tsx';
import { ts } from './texts.ts';

const OUTCOMES = ['newly_invalid', 'unreachable', 'mendable', 'invalid_before', 'valid'] as const;
type Outcome = (typeof OUTCOMES)[number];
const MARKS: Readonly<Record<Outcome, StateName>> = {
  newly_invalid: 'rejected',
  unreachable: 'rejected',
  mendable: 'changed',
  invalid_before: 'diverged',
  valid: 'accepted',
};
const EFFECTS = ['tightened', 'loosened', 'neutral'] as const;

export function Tried(props: {
  collection: string;
  tried: Rehearsal;
  isAdmin: boolean;
  corrections: Corrections;
  onCorrect: (change: (before: Corrections) => Corrections) => void;
  onForced: () => void;
}) {
  const { collection, tried, isAdmin, onCorrect, onForced } = props;
  const { typed } = props.corrections;
  const { summary, items, changes } = tried;
  const numberOf = (outcome: Outcome) => summary.by_outcome[outcome] ?? 0;
  const [shown, setShown] = useState<Outcome>(OUTCOMES.find((one) => numberOf(one) > 0) ?? 'valid');
  const [open, setOpen] = useState(false);
  if (tried.state === 'failed') return <p class="note st-rejected">{ts('failed')}</p>;
  const mendable = items.filter(({ outcome }) => outcome === 'mendable');
  // Those that another version was tried with may not be listed now.
  const left = new Set(props.corrections.left.filter((pid) => mendable.some((one) => one.pid === pid)));
  const corrections = correctionsFrom(typed, items);
  const corrected = Object.keys(corrections).length;
  const broken = Math.max(0, numberOf('newly_invalid') + numberOf('unreachable') - corrected) + left.size;
  const listed = items.filter(({ outcome }) => outcome === shown);
  return (
    <div class="stack" aria-live="polite">
      <div class="head">
        <h3 tabIndex={-1}>{ts('changes')}</h3>
      </div>
      {changes.length === 0 && <p class="muted">{ts('changesNone')}</p>}
      {EFFECTS.map((effect) => {
        const of = changes.filter((one) => one.effect === effect);
        return of.length === 0 ? null : (
          <div key={effect}>
            <p class="strong">
              {ts(effect)} <span class="n">{of.length}</span>
            </p>
            <ul class="bullets">
              {of.map((change) => (
                <li key={`${change.name} ${change.message}`}>{changeWords(change)}</li>
              ))}
            </ul>
          </div>
        );
      })}
      <div class="head">
        <h3>{ts('outcomes', { n: summary.total })}</h3>
      </div>
      <div class="seg wrap" role="group" aria-label={ts('outcome')}>
        {OUTCOMES.filter((one) => numberOf(one) > 0 || one === 'valid').map((one) => (
          <button type="button" key={one} aria-pressed={one === shown} onClick={() => setShown(one)}>
            <StateMark name={MARKS[one]} /> {ts(one)} <span class="n">{count(numberOf(one))}</span>
          </button>
        ))}
      </div>
      {shown !== 'valid' && numberOf(shown) === 0 && <Empty title={ts('noRecords')} />}
      {listed.length > 0 && (
        <JudgedRecords
          collection={collection}
          items={listed as readonly RehearsedRecord[]}
          total={numberOf(shown)}
          typed={typed}
          onType={(values) => onCorrect((before) => ({ ...before, typed: withTexts(before.typed, values) }))}
          left={isAdmin && mendable.length === numberOf('mendable') ? left : undefined}
          onLeave={(pid, on) =>
            onCorrect((before) => {
              const others = before.left.filter((one) => one !== pid);
              return { ...before, left: on ? [...others, pid] : others };
            })
          }
        />
      )}
      {!isAdmin && <p class="muted">{ts('adminOnly')}</p>}
      {isAdmin && (
        <p class="btns">
          <button type="button" class="btn primary" onClick={() => setOpen(true)}>
            {ts('force')}
          </button>
        </p>
      )}
      {open && (
        <ForceDialog
          {...{ collection, broken, corrections }}
          id={tried.id}
          mended={numberOf('mendable') - left.size}
          patches={left.size === 0 || mendable.filter(({ pid }) => !left.has(pid)).map(({ pid }) => pid)}
          onClose={() => setOpen(false)}
          onForced={onForced}
        />
      )}
    </div>
  );
}
