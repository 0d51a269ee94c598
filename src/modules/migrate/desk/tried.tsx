/** Shows the effect of another version: in the schema, and on the records by outcome, with corrections for those that need them. */
import { useMemo, useState } from 'preact/hooks';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Empty, Loading } from '../../../../ui/shared/notes.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { StateMark, type StateName } from '../../../../ui/shared/state.tsx';
import { count } from '../../../../ui/shared/time.ts';
import { migrate, type Rehearsal, type RehearsedRecord } from '../client.ts';
import { changeWords } from './change-words.ts';
import { type Corrections, correctionsOf, withCorrections } from './corrections.ts';
import { ForceDialog } from './force-dialog.tsx';
import { JudgedRecords } from './judged-records.tsx';
import { rehearsedSchema } from './rehearsed-schema.ts';
import { ts } from './texts.ts';

const OUTCOMES = ['newly_invalid', 'unreachable', 'mendable', 'invalid_before', 'valid'] as const;
type Outcome = (typeof OUTCOMES)[number];
/** Their records need a hand. */
const UNFIT = ['newly_invalid', 'unreachable'] as const satisfies readonly Outcome[];
/** Records that are corrected at once: their values fit into the request that puts the schema in force. */
const MOST_CORRECTED = 5000;
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
  const { values } = props.corrections;
  const { summary, changes } = tried;
  const numberOf = (outcome: Outcome) => summary.by_outcome[outcome] ?? 0;
  const [shown, setShown] = useState<Outcome>(OUTCOMES.find((one) => numberOf(one) > 0) ?? 'valid');
  const [open, setOpen] = useState(false);
  const schema = useMemo(() => rehearsedSchema(collection, tried.id), [collection, tried.id]);
  const { items, rest } = useItems(collection, tried);
  if (tried.state === 'failed') return <p class="note st-rejected">{ts('failed')}</p>;
  const mendable = items.filter(({ outcome }) => outcome === 'mendable');
  // Those that another version was tried with may not be listed now.
  const left = new Set(props.corrections.left.filter((pid) => mendable.some((one) => one.pid === pid)));
  const corrections = correctionsOf(values, items);
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
          schema={schema}
          values={values}
          onCorrect={(corrections) =>
            onCorrect((before) => ({ ...before, values: withCorrections(before.values, corrections) }))
          }
          left={isAdmin && mendable.length === numberOf('mendable') ? left : undefined}
          onLeave={(pid, on) =>
            onCorrect((before) => {
              const others = before.left.filter((one) => one !== pid);
              return { ...before, left: on ? [...others, pid] : others };
            })
          }
        />
      )}
      {rest && <Loading error={rest.error} retry={rest.reload} />}
      {!isAdmin && <p class="muted">{ts('adminOnly')}</p>}
      {isAdmin && (
        <p class="btns">
          <button
            type="button"
            class="btn primary"
            disabled={rest !== undefined}
            onClick={() => setOpen(true)}
          >
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

/** The records of a rehearsal: it lists the first ones, and those that need a hand are read, however many there are. */
function useItems(collection: string, { id, items, summary }: Rehearsal) {
  const listed = (one: Outcome) => items.filter(({ outcome }) => outcome === one);
  const longer = UNFIT.filter((one) => (summary.by_outcome[one] ?? 0) > listed(one).length);
  const read = useLoad(longer.length > 0 ? id : undefined, async (signal) => {
    const found: RehearsedRecord[] = [];
    for (const outcome of longer)
      for await (const record of lab(collection, signal).use(migrate).records(id, outcome))
        if (found.push(record) === MOST_CORRECTED) return found;
    return found;
  });
  if (longer.length === 0) return { items };
  if (!read.value) return { items, rest: read };
  const others = items.filter(({ outcome }) => !longer.some((one) => one === outcome));
  return { items: [...others, ...read.value] };
}
