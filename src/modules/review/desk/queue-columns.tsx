/** The columns of the queue. */

import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { NewMark } from '../../../../ui/shared/marks.tsx';
import { place, withQuery } from '../../../../ui/shared/router.ts';
import { localPart, readClass, slotTitle } from '../../../../ui/shared/schema.ts';
import type { Selection } from '../../../../ui/shared/selection.ts';
import { SelectAll } from '../../../../ui/shared/selection-bar.tsx';
import { State, StateMark, stateWord } from '../../../../ui/shared/state.tsx';
import type { Column } from '../../../../ui/shared/table.tsx';
import { Tile } from '../../../../ui/shared/tile.tsx';
import { shortTime } from '../../../../ui/shared/time.ts';
import { t } from '../../../../ui/texts/texts.ts';
import type { Submission } from '../api-types.ts';
import { ApprovalTag } from './approvals.tsx';
import { Assignee, DueTag } from './assign.tsx';
import { RequestTag } from './comments.tsx';
import { tr } from './texts.ts';

type Parts = {
  collection: string;
  itemUrl: (row: Submission) => string;
  selection: Selection<Submission>;
  isNew: (row: Submission) => boolean;
};

export function queueColumns({ collection, itemUrl, selection, isNew }: Parts): Column<Submission>[] {
  return [
    {
      key: 'check',
      class: 'check',
      head: <SelectAll selection={selection} />,
      cell: (row, index) => (
        <input
          type="checkbox"
          aria-label={t('browse.selectRow', { title: titleOf(row) })}
          checked={selection.has(row)}
          onClick={(event) => (event.shiftKey ? selection.extendTo(index) : selection.toggle(index))}
        />
      ),
    },
    {
      key: 'state',
      class: 'w-state',
      optional: true,
      head: tr('queue.state'),
      cell: (row) => <State name={row.state} />,
    },
    {
      key: 'record',
      head: tr('queue.record'),
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
            {!row.valid && <span class="tag warn">{tr('queue.invalid')}</span>}
            {isNew(row) && <NewMark />}
            <RequestTag requested={row.requested} />
            <ApprovalTag approvals={row.approvals} />
            <DueTag due={row.due} />
            {row.message && <span class="tag">{tr('queue.message')}</span>}
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
      head: tr('queue.differences'),
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
      head: t('record.zone'),
      cell: (row) => <span class="muted">{row.label}</span>,
    },
    {
      key: 'time',
      class: 'w-time right',
      optional: true,
      head: <Sorter />,
      cell: (row) => <span class="muted num">{shortTime(row.submitted_at)}</span>,
    },
    {
      key: 'assignee',
      class: 'w-by spare',
      optional: true,
      head: <DueSorter />,
      cell: (row) => (
        <span class="muted">
          <Assignee collection={collection} id={row.assignee} />
        </span>
      ),
    },
  ];
}

function Sorter() {
  const sort = place.value.query.get('sort') ?? 'submitted';
  const isDown = sort === '-submitted';
  if (sort === 'due')
    return (
      <a class="sorter" href={withQuery({ sort: null })}>
        {tr('queue.submitted')}
      </a>
    );
  return (
    <a class="sorter" href={withQuery({ sort: isDown ? null : '-submitted' })}>
      {tr('queue.submitted')}
      <span class="vh">. {tr(isDown ? 'queue.newestFirst' : 'queue.oldestFirst')}</span>{' '}
      <Icon name={isDown ? 'down' : 'up'} size={12} />
    </a>
  );
}

/** Who is to decide, ordered by when. */
function DueSorter() {
  const isDue = place.value.query.get('sort') === 'due';
  return (
    <a class="sorter" href={withQuery({ sort: isDue ? null : 'due' })}>
      {tr('assign.who')}
      <span class="vh">. {tr(isDue ? 'assign.notByDue' : 'assign.byDue')}</span>{' '}
      {isDue && <Icon name="up" size={12} />}
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
  if (row.state === 'same') return tr('queue.noDifference');
  if (isNew) {
    // Every record has an identifier and a class: the review does not list them either.
    const always = description?.slots.filter(
      ({ identifier, designates_type }) => identifier || designates_type,
    );
    const said = row.slots.filter((name) => !always?.some((slot) => slot.name === name));
    return description ? tr('queue.slots', { n: said.length }) : '';
  }
  const titleOfSlot = (name: string) =>
    slotTitle(description?.slots.find((slot) => slot.name === name) ?? { name });
  const named = isNamed ? row.slots.map(titleOfSlot).join(', ') : tr('queue.slots', { n: row.differences });
  return row.conflicts > 0 ? `${named}, ${tr('queue.conflicts', { n: row.conflicts })}` : named;
}
