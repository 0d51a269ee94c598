/** The columns of the queue. */
import type { Submission } from '../../src/modules/review/api-types.ts';
import { RequestTag } from '../shared/comments.tsx';
import { Icon } from '../shared/icons.tsx';
import { useLoad } from '../shared/load.ts';
import { NewMark } from '../shared/marks.tsx';
import { place, withQuery } from '../shared/router.ts';
import { localPart, readClass, slotTitle } from '../shared/schema.ts';
import { State, StateMark, stateWord } from '../shared/state.tsx';
import type { Column } from '../shared/table.tsx';
import { Tile } from '../shared/tile.tsx';
import { shortTime } from '../shared/time.ts';
import { t } from '../texts/texts.ts';

type Parts = {
  collection: string;
  itemUrl: (row: Submission) => string;
  isChecked: (row: Submission) => boolean;
  check: (index: number, upTo: boolean) => void;
  checkAll: () => void;
  allChecked: boolean;
  isNew: (row: Submission) => boolean;
};

export function queueColumns({
  collection,
  itemUrl,
  isChecked,
  check,
  checkAll,
  allChecked,
  isNew,
}: Parts): Column<Submission>[] {
  return [
    {
      key: 'check',
      class: 'check',
      head: (
        <input type="checkbox" aria-label={t('queue.selectAll')} checked={allChecked} onChange={checkAll} />
      ),
      cell: (row, index) => (
        <input
          type="checkbox"
          aria-label={t('queue.selectRow', { title: titleOf(row) })}
          checked={isChecked(row)}
          onClick={(event) => check(index, event.shiftKey)}
        />
      ),
    },
    {
      key: 'state',
      class: 'w-state',
      optional: true,
      head: t('queue.state'),
      cell: (row) => <State name={row.state} />,
    },
    {
      key: 'record',
      head: t('queue.record'),
      cell: (row) => (
        <>
          <div class="main">
            <span class="only-small">
              <StateMark name={row.state} />
            </span>
            <Tile name={row.class} />
            <a href={itemUrl(row)}>
              <bdi>{titleOf(row)}</bdi>
            </a>
            <span class="id mono">{row.pid}</span>
            {!row.valid && <span class="tag warn">{t('queue.invalid')}</span>}
            {isNew(row) && <NewMark />}
            <RequestTag requested={row.requested} />
            {row.message && <span class="tag">{t('queue.message')}</span>}
          </div>
          <div class="under">
            <span>
              {stateWord(row.state)} · <Differences collection={collection} row={row} /> · {row.label}
            </span>
          </div>
        </>
      ),
    },
    {
      key: 'differences',
      class: 'w-m',
      optional: true,
      head: t('queue.differences'),
      cell: (row) => (
        <span class="muted">
          <Differences collection={collection} row={row} />
        </span>
      ),
    },
    {
      key: 'label',
      class: 'w-zone',
      optional: true,
      head: t('queue.zone'),
      cell: (row) => <span class="muted">{row.label}</span>,
    },
    {
      key: 'time',
      class: 'w-time right',
      optional: true,
      head: <Sorter />,
      cell: (row) => <span class="muted num">{shortTime(row.submitted_at)}</span>,
    },
  ];
}

function Sorter() {
  const sort = place.value.query.get('sort') ?? 'submitted';
  const isDown = sort === '-submitted';
  return (
    <a class="sorter" href={withQuery({ sort: isDown ? null : '-submitted' })}>
      {t('queue.submitted')}
      <span class="vh">. {t(isDown ? 'queue.newestFirst' : 'queue.oldestFirst')}</span>{' '}
      <Icon name={isDown ? 'down' : 'up'} size={12} />
    </a>
  );
}

export function titleOf(row: Pick<Submission, 'title' | 'pid'>): string {
  return row.title || localPart(row.pid);
}

/** `Email, Name` for few, else a number; and the conflicts. */
function Differences({ collection, row }: { collection: string; row: Submission }) {
  const isNamed = row.state === 'changed' && row.slots.length > 0 && row.slots.length < 3;
  const isNew = row.state === 'new';
  const { value: description } = useLoad(isNamed || isNew ? `${collection}\n${row.class}` : undefined, () =>
    readClass(collection, row.class),
  );
  if (row.state === 'same') return t('queue.noDifference');
  if (isNew) {
    // Every record has an identifier and a class: the review does not list them either.
    const always = description?.slots.filter(
      ({ identifier, designates_type }) => identifier || designates_type,
    );
    const said = row.slots.filter((name) => !always?.some((slot) => slot.name === name));
    return description ? t('queue.slots', { n: said.length }) : '';
  }
  const titleOfSlot = (name: string) =>
    slotTitle(description?.slots.find((slot) => slot.name === name) ?? { name });
  const named = isNamed ? row.slots.map(titleOfSlot).join(', ') : t('queue.slots', { n: row.differences });
  return row.conflicts > 0 ? `${named}, ${t('queue.conflicts', { n: row.conflicts })}` : named;
}
