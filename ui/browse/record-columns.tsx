/** The columns of a table of records: the name, then slots. */

import { ColumnEdge } from '../shared/column-edge.tsx';
import { Icon } from '../shared/icons.tsx';
import type { SlotsOf } from '../shared/inlined.ts';
import type { JsonObject } from '../shared/json.ts';
import { Found } from '../shared/marks.tsx';
import { Lock } from '../shared/policy-parts.tsx';
import { highlightOf } from '../shared/records.ts';
import { place, urlOf, withQuery } from '../shared/router.ts';
import { isCode, isDate, isNumeric, shortValue } from '../shared/scalar.tsx';
import {
  type ClassDescription,
  localPart,
  type Slot,
  slotTitle,
  type Title,
  titleSlot,
} from '../shared/schema.ts';
import type { Selection } from '../shared/selection.ts';
import { SelectAll } from '../shared/selection-bar.tsx';
import type { Column } from '../shared/table.tsx';
import { Tile } from '../shared/tile.tsx';
import { t } from '../texts/texts.ts';
import { CellEditor, type TypedCell } from './cell-editor.tsx';
import { tb } from './texts.ts';
import type { Widths } from './widths.ts';

type Titles = ReadonlyMap<string, Title | null> | undefined;

export type EditedCell = {
  /** The pid and the slot, a line each. */
  readonly key: string;
  readonly typed: TypedCell;
};

/** The cell that the keys are at, and the one that is edited. */
type Cells = {
  /** Undefined if none is. */
  readonly editing: EditedCell | undefined;
  readonly isAt: (row: number, column: number) => boolean;
  readonly begin: (row: number, column: number) => void;
  readonly close: (stored: boolean) => void;
};

function isWord(slot: Slot): boolean {
  const { range, identifier, designates_type } = slot;
  return (
    !identifier && !designates_type && !isCode(range) && (range.kind === 'type' || range.kind === 'enum')
  );
}

export function recordColumns(parts: {
  collection: string;
  description: ClassDescription;
  slots: readonly Slot[];
  titles: Titles;
  names: Titles;
  /** The slots of the classes whose objects are within the records. */
  slotsOf: SlotsOf;
  widths: Widths;
  /** For those who may write: the rows that are selected. */
  selection?: Selection<JsonObject>;
  cells: Cells;
}): Column<JsonObject>[] {
  const { collection, description, slots, titles, names, slotsOf, widths, selection, cells } = parts;
  const { shares, move } = widths;
  const named = titleSlot(description);
  const nameOf = (pid: string) => names?.get(pid)?.title ?? undefined;
  const cellOf = (slot: Slot, row: JsonObject) => {
    const text = shortValue(row[slot.name], slot.range, nameOf, slotsOf);
    return (
      <Found
        text={text}
        marked={highlightOf(row)?.snippet}
        class={isCode(slot.range) ? 'mono muted' : 'muted'}
      />
    );
  };
  // The last column ends with the table.
  const edgeOf = (index: number, name: string) =>
    shares && index < slots.length ? (
      <ColumnEdge
        label={tb('width', { name })}
        help={tb('widthHelp')}
        share={shares[index] ?? 0}
        onMove={(by, isDone) => move(index, by, isDone)}
      />
    ) : undefined;
  const title: Column<JsonObject> = {
    key: 'title',
    ...(!shares && { class: 'w-l' }),
    share: shares?.[0],
    edge: edgeOf(0, named ? slotTitle(named) : t('browse.name')),
    sorted: named && sortedBy(named),
    head: named ? <SortHead slot={named} /> : t('browse.name'),
    cell: (row) => {
      const pid = String(row.pid);
      const known = titles?.get(pid);
      const own = named && [row[named.name]].flat()[0];
      const text = (typeof own === 'string' && own) || known?.title || localPart(pid);
      const said = slots.map((slot) => shortValue(row[slot.name], slot.range, nameOf, slotsOf));
      // A family name would repeat the name above it; of what is not a column, only words say more.
      const more = description.slots.filter((slot) => isWord(slot) && !slots.includes(slot));
      const second = [...said, ...more.map((slot) => shortValue(row[slot.name], slot.range, nameOf))].find(
        (one) => one !== '' && one !== '–' && !text.includes(one),
      );
      const found = highlightOf(row);
      const snippet = found?.snippet && <Found text={found.snippet.text} marked={found.snippet} />;
      // A column that shows the value marks it there.
      const isElsewhere = found?.snippet ? said.includes(found.snippet.text) : false;
      return (
        <>
          <div class="main">
            {known && known.class !== description.class && <Tile name={known.class} />}
            <a href={urlOf([collection, 'record'], { pid })}>
              <Found text={text} marked={found?.title} />
            </a>
            {snippet && !isElsewhere && <span class="snippet">{snippet}</span>}
            <Lock collection={collection} record={row} />
            {known?.in === 'zone' && <span class="tag">{t('browse.inZone')}</span>}
          </div>
          {(snippet || second) && (
            <div class="under">
              <span>{snippet || second}</span>
            </div>
          )}
        </>
      );
    },
  };
  const check: Column<JsonObject>[] = selection
    ? [
        {
          key: 'check',
          class: 'check',
          head: <SelectAll selection={selection} />,
          cell: (row, index) => (
            <input
              type="checkbox"
              aria-label={t('browse.selectRow', {
                title: titles?.get(String(row.pid))?.title || String(row.pid),
              })}
              checked={selection.has(row)}
              onClick={(event) => (event.shiftKey ? selection.extendTo(index) : selection.toggle(index))}
            />
          ),
        },
      ]
    : [];
  return [
    ...check,
    title,
    ...slots.map(
      (slot, index): Column<JsonObject> => ({
        key: slot.name,
        share: shares?.[index + 1],
        edge: edgeOf(index + 1, slotTitle(slot)),
        sorted: sortedBy(slot),
        head: isSortable(slot) ? <SortHead slot={slot} /> : slotTitle(slot),
        optional: true,
        cell: (row, at) =>
          cells.editing?.key === `${row.pid}\n${slot.name}` ? (
            <CellEditor
              {...{ collection, slot, row }}
              className={titles?.get(String(row.pid))?.class ?? description.class}
              title={titles?.get(String(row.pid))?.title || localPart(String(row.pid))}
              typed={cells.editing.typed}
              onClose={cells.close}
            />
          ) : (
            <div class={cells.isAt(at, index) ? 'cell at' : 'cell'} onDblClick={() => cells.begin(at, index)}>
              {cellOf(slot, row)}
            </div>
          ),
      }),
    ),
  ];
}

const SAMPLE = 50;
/** Characters that a column has room for, at least and at most, as far as the width permits. */
const ROOM = { least: 7, most: 34 };
/** What dates, numbers and objects such as an amount have in addition: part of a name is understood, part of a number is another number. */
const EXACT = 4;
/** The share of the edges of a cell, and of the column of boxes, in that. */
const PADDING = 4;
const CHECK = 6;

/** Widths by content: a column gets the room that four of five values of the first rows need. */
export function sharesOf(
  description: ClassDescription,
  slots: readonly Slot[],
  rows: readonly JsonObject[],
  names: Titles,
): readonly number[] | undefined {
  if (rows.length === 0) return undefined;
  const named = titleSlot(description);
  const rooms = [...(named ? [named] : [undefined]), ...slots].map((slot) => {
    if (!slot) return ROOM.most;
    const nameOf = (pid: string) => names?.get(pid)?.title ?? undefined;
    const lengths = rows.slice(0, SAMPLE).map((row) => shortValue(row[slot.name], slot.range, nameOf).length);
    const usual = lengths.sort((a, b) => a - b)[Math.floor(lengths.length * 0.8)] ?? 0;
    const { range } = slot;
    const isExact = isNumeric(range) || isDate(range) || (range.kind === 'class' && range.inlined);
    const exact = isExact ? EXACT : 0;
    return Math.min(ROOM.most, Math.max(ROOM.least, usual + exact, slotTitle(slot).length)) + PADDING;
  });
  const all = rooms.reduce((sum, room) => sum + room, CHECK);
  return rooms.map((room) => Math.round((room / all) * 1000) / 10);
}

/** Of several values, the first one is compared; references are in the order of their identifiers. */
const isSortable = ({ range }: Slot) =>
  range.kind === 'type' || range.kind === 'enum' || (range.kind === 'class' && !range.inlined);

function sortedBy({ name }: Slot): 'ascending' | 'descending' | undefined {
  const sort = place.value.query.get('sort');
  if (sort === name) return 'ascending';
  return sort === `-${name}` ? 'descending' : undefined;
}

/** Sorts by a slot: ascending, descending, as stored. */
function SortHead({ slot }: { slot: Slot }) {
  const sort = place.value.query.get('sort');
  const next = sort === slot.name ? `-${slot.name}` : sort === `-${slot.name}` ? null : slot.name;
  return (
    <a class="sorter" href={withQuery({ sort: next, preview: null })}>
      {slotTitle(slot)}
      {sort === slot.name && <Sorted icon="up" text={t('browse.ascending')} />}
      {sort === `-${slot.name}` && <Sorted icon="down" text={t('browse.descending')} />}
    </a>
  );
}

function Sorted({ icon, text }: { icon: 'up' | 'down'; text: string }) {
  return (
    <>
      <Icon name={icon} size={12} />
      <span class="vh">, {text}</span>
    </>
  );
}
