/** The third step of an import: what each row does to the stored records; cells with problems are mended in place. */
import { useRef, useState } from 'preact/hooks';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Added, Marked, Removed } from '../../../../ui/shared/marks.tsx';
import { problemWords } from '../../../../ui/shared/problem-words.ts';
import { readPage, searchRecords } from '../../../../ui/shared/records.ts';
import { StateMark, type StateName } from '../../../../ui/shared/state.tsx';
import { count } from '../../../../ui/shared/time.ts';
import { cellKey, type Fault, type Targets, type Verdict } from './sheet.ts';
import { FAULTS, ti } from './texts.ts';

const OUTCOMES = ['new', 'changed', 'unchanged', 'refused'] as const;
type Outcome = (typeof OUTCOMES)[number];
const MARKS: Readonly<Record<Outcome, StateName>> = {
  new: 'new',
  changed: 'changed',
  unchanged: 'same',
  refused: 'rejected',
};
const WORDS = { new: 'oneNew', changed: 'oneChanged', unchanged: 'oneSame', refused: 'oneRefused' } as const;
const SHOWN = 100;
const SHOWN_VALUES = 4;
const MOST_CANDIDATES = 3;

type RowsProps = {
  verdicts: readonly Verdict[];
  targets: Targets;
  /** The title of a slot. */
  titleOf: (slot: string) => string;
  /** The values that a slot accepts, in words. */
  helpOf: (slot: string) => string | undefined;
  collection: string;
  /** The class of the records that a slot refers to. */
  referencesOf: (slot: string) => string | undefined;
  /** The slot that names records. */
  nameSlot: string | undefined;
  /** Rows that got an identifier here. */
  made: ReadonlySet<number>;
  /** Texts that were typed here, by {@link cellKey}. */
  cells: Readonly<Record<string, string>>;
  /** Called with each letter. */
  onType: (row: number, index: number, text: string) => void;
  /** Called when a cell is left or confirmed. */
  onCell: (row: number, index: number, text: string) => void;
};

export function RowsStep(
  props: RowsProps & { filter: Outcome | 'all'; onFilter: (filter: Outcome | 'all') => void },
) {
  const { verdicts, filter, onFilter } = props;
  const [shown, setShown] = useState(SHOWN);
  const counts = Map.groupBy(verdicts, ({ outcome }) => outcome);
  const rows = filter === 'all' ? verdicts : (counts.get(filter) ?? []);
  return (
    <>
      <div class="seg" role="group" aria-label={ti('filter')}>
        {(['all', ...OUTCOMES] as const).map((name) => {
          const n = name === 'all' ? verdicts.length : (counts.get(name)?.length ?? 0);
          return (
            <button type="button" key={name} aria-pressed={filter === name} onClick={() => onFilter(name)}>
              {ti(name)} <span class="faint">{count(n)}</span>
            </button>
          );
        })}
      </div>
      {rows.length === 0 ? (
        <p class="muted">{ti('none')}</p>
      ) : (
        <div class="inner-scroll" tabIndex={0} role="region" aria-label={ti('rowsTable')}>
          <table class="inner import-rows">
            <thead>
              <tr>
                <th scope="col" class="right">
                  {ti('row')}
                </th>
                <th scope="col">{ti('state')}</th>
                <th scope="col">{ti('record')}</th>
                <th scope="col">{ti('what')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shown).map((verdict) => (
                <Row key={verdict.row} {...props} verdict={verdict} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown < rows.length && (
        <p>
          <button type="button" class="btn" onClick={() => setShown(shown + 10 * SHOWN)}>
            {ti('more')}
          </button>
        </p>
      )}
    </>
  );
}

function Row({
  verdict,
  targets,
  titleOf,
  helpOf,
  collection,
  referencesOf,
  nameSlot,
  made,
  cells: typed,
  onType,
  onCell,
}: RowsProps & { verdict: Verdict }) {
  const { row, cells, outcome } = verdict;
  const cellOf = (slot: string | undefined) =>
    slot === undefined ? '' : (cells[targets.indexOf(slot)] ?? '');
  const pid = cellOf('pid');
  return (
    <tr>
      <td class="right faint">{count(row)}</td>
      <td class="nowrap">
        <span class={`st st-${MARKS[outcome]}`}>
          <StateMark name={MARKS[outcome]} /> {ti(WORDS[outcome])}
        </span>
      </td>
      <th scope="row">
        <bdi>{cellOf(nameSlot) || pid || '–'}</bdi>
        {pid !== '' && (
          <small class="mono faint">
            <bdi>{pid}</bdi>
            {made.has(row) && ` · ${ti('made')}`}
          </small>
        )}
      </th>
      <td>
        {outcome === 'refused' ? (
          verdict.faults.map((fault, index) => (
            <MendedCell
              key={index}
              verdict={verdict}
              fault={fault}
              title={faultTitle(fault)}
              help={helpOf(targets[fault.index] ?? '')}
              collection={collection}
              refersTo={
                fault.type === 'reference_unknown' ? referencesOf(targets[fault.index] ?? '') : undefined
              }
              typed={typed[cellKey(row, fault.index)]}
              onType={onType}
              onCell={onCell}
            />
          ))
        ) : outcome === 'changed' ? (
          verdict.changes.map(({ slot, before, after }) => (
            <p key={slot}>
              <b>{titleOf(slot)}</b>{' '}
              {after === '' ? (
                <>
                  <span class="faint">{ti('removes')}</span> <Removed text={before} />
                </>
              ) : before === '' ? (
                <Added text={after} />
              ) : (
                <Marked before={before} after={after} />
              )}
            </p>
          ))
        ) : (
          <span class="faint">{valuesOf()}</span>
        )}
      </td>
    </tr>
  );

  function faultTitle({ index, header }: Fault): string {
    const slot = targets[index];
    return slot == null ? header : titleOf(slot);
  }

  function valuesOf(): string {
    const values = targets.flatMap((slot, index) => {
      const text = cells[index] ?? '';
      return slot === null || slot === 'pid' || slot === nameSlot || text === ''
        ? []
        : [`${titleOf(slot)}: ${text}`];
    });
    const more = values.length - SHOWN_VALUES;
    return values.slice(0, SHOWN_VALUES).join(' · ') + (more > 0 ? ` · +${more}` : '');
  }
}

function MendedCell(props: {
  verdict: Verdict;
  fault: Fault;
  title: string;
  help: string | undefined;
  collection: string;
  /** The class of the records of which the cell names none. */
  refersTo: string | undefined;
  typed: string | undefined;
  onType: RowsProps['onType'];
  onCell: RowsProps['onCell'];
}) {
  const { verdict, fault, title, help, collection, refersTo, typed, onType, onCell } = props;
  const { row, cells } = verdict;
  const id = `cell-${row}-${fault.index}`;
  const field = useRef<HTMLInputElement>(null);
  const values = (cells[fault.index] ?? '').split('|').map((one) => one.trim());
  const wrong = values.find((one) => fault.message.includes(`"${one}"`));
  return (
    <div class="field bad mended">
      {fault.index >= 0 && (
        <>
          <label for={id}>{title}</label>
          <input
            class="input"
            ref={field}
            id={id}
            aria-label={ti('mended', { name: title, row })}
            aria-describedby={`${id}-why`}
            aria-invalid="true"
            defaultValue={typed ?? cells[fault.index] ?? ''}
            onInput={(event) => onType(row, fault.index, event.currentTarget.value)}
            onChange={(event) => onCell(row, fault.index, event.currentTarget.value)}
          />
        </>
      )}
      <p class="error" id={`${id}-why`}>
        {problemWords({ type: fault.type, msg: fault.message, input: fault.value }, FAULTS)}
      </p>
      {help && <p class="help">{help}</p>}
      {refersTo !== undefined && wrong !== undefined && (
        <Candidates
          collection={collection}
          className={refersTo}
          wrong={wrong}
          onTake={(name) => {
            const next = values.map((one) => (one === wrong ? name : one)).join('|');
            if (field.current) field.current.value = next;
            onCell(row, fault.index, next);
          }}
        />
      )}
    </div>
  );
}

/** Records whose names are like a reference that names none; a click takes one. */
function Candidates(props: {
  collection: string;
  className: string;
  wrong: string;
  onTake: (name: string) => void;
}) {
  const { collection, className, wrong, onTake } = props;
  const { value: names = [] } = useLoad(`${collection}/${className}/${wrong}`, (signal) =>
    similarNames(collection, className, wrong, signal),
  );
  if (names.length === 0) return null;
  return (
    <p class="btns" role="group" aria-label={ti('meant', { text: wrong })}>
      <span class="help">{ti('meant', { text: wrong })}</span>
      {names.map((name) => (
        <button type="button" key={name} class="btn small" onClick={() => onTake(name)}>
          <bdi>{name}</bdi>
        </button>
      ))}
    </p>
  );
}

/** Searches for all words; if no record has them, for the words that the service proposes, else for the longest one. */
async function similarNames(
  collection: string,
  className: string,
  wrong: string,
  signal: AbortSignal,
): Promise<string[]> {
  const page = { page: 1, size: 1, text: wrong };
  const { did_you_mean: meant } = await readPage(collection, className, page, signal);
  const longest = wrong.split(/\s+/).reduce((a, b) => (b.length > a.length ? b : a), '');
  for (const text of [wrong, meant, longest]) {
    const hits = text ? await searchRecords(collection, className, text, MOST_CANDIDATES, signal) : [];
    if (hits.length > 0) return [...new Set(hits.map(({ title }) => title))];
  }
  return [];
}
