/** The surroundings of a record as a picture, whose records and groups are opened one by one, and as a table. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Links } from '../../../../src/client/client.ts';
import { useContext, type ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { NoRecord } from '../../../../ui/shared/no-record.tsx';
import { Bones, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { place, urlOf } from '../../../../ui/shared/router.ts';
import {
  type ClassDescription,
  localPart,
  readClass,
  readTitles,
  slotTitle,
  written,
} from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { type InArea, RecordInArea } from '../../../../ui/shared/tile.tsx';
import { count } from '../../../../ui/shared/time.ts';
import { t } from '../../../../ui/texts/texts.ts';
import { Arrow, clipped, Drawing, laidOut, type Point, TEXT } from './drawing.tsx';
import {
  type Group,
  MOST_READ,
  MOST_RECORDS,
  type Neighbour,
  type Opened,
  type Reference,
  type Surroundings,
  surroundingsOf,
} from './surroundings.ts';
import { to } from './texts.ts';

const WIDTH = 248;
const HEIGHT = 44;
/** A button beside the name of a record. */
const SIGN = 28;
/** Characters of a name beside the button. */
const LETTERS = 28;
/** Of the slots on a line. */
const LABEL_LETTERS = 24;
const CHARACTER = 7;
/** Keeps the line away from its label. */
const HALO = { stroke: 'var(--sheet)', 'stroke-width': '6', 'paint-order': 'stroke' };

type Classes = ReadonlyMap<string, ClassDescription>;

export function SurroundingsPage({ collection }: ViewProps) {
  useContext(null, collection);
  const pid = place.value.query.get('pid') ?? '';
  if (pid !== '') return <Around key={`${collection} ${pid}`} collection={collection} pid={pid} />;
  return (
    <Sheets>
      <MainSheet
        title={to('surroundings')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
      >
        <div class="page">
          <NoRecord collection={collection} />
        </div>
      </MainSheet>
    </Sheets>
  );
}

function Around({ collection, pid }: { collection: string; pid: string }) {
  const [opened, setOpened] = useState<Opened>({ records: new Set(), groups: new Set() });
  /** What was toggled last stays in sight. */
  const [last, setLast] = useState(pid);
  const { value, error, reload } = useLinks(collection, [pid, ...opened.records]);
  const name = value?.middle.title || localPart(pid);
  const surroundings = useMemo(
    () => value && surroundingsOf(value.middle, value.links, opened),
    [value, opened],
  );
  const toggle = (kind: keyof Opened, id: string) => {
    setLast(id);
    const others = [...opened[kind]].filter((one) => one !== id);
    setOpened({ ...opened, [kind]: new Set(opened[kind].has(id) ? others : [...others, id]) });
  };
  return (
    <Sheets>
      <MainSheet
        title={to('surroundings')}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          { text: name, href: urlOf([collection, 'record'], { pid }) },
        ]}
      >
        <div class="page wide">
          {error && <ErrorNote error={error} retry={reload} />}
          {!surroundings && !error && <Bones rows={8} />}
          {value?.middle.class === null && <NoRecord collection={collection} pid={pid} />}
          {surroundings && value && (value.middle.class !== null || surroundings.ties.length > 0) && (
            <>
              <div class="stack">
                <p class="muted">{to(surroundings.ties.length === 0 ? 'alone' : 'surroundingsHelp')}</p>
                {!value.isComplete && <p class="muted">{to('notYetRead')}</p>}
                {surroundings.isCut && (
                  <p class="muted">{to('notAll', { records: MOST_RECORDS, references: MOST_READ })}</p>
                )}
              </div>
              <Picture
                {...{ collection, last, surroundings, opened, toggle }}
                middle={value.middle}
                classes={value.classes}
                name={to('surroundingsOf', { name })}
              />
              <Table collection={collection} surroundings={surroundings} classes={value.classes} />
            </>
          )}
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** The references of records, that in the middle first, each read once until a record changes, and the classes that they name. */
function useLinks(collection: string, pids: readonly [middle: string, ...string[]]) {
  const known = useRef({ version: written.value, links: new Map<string, Links>() });
  return useLoad(
    pids.join(' '),
    async (signal) => {
      const version = written.peek();
      if (known.current.version !== version) known.current = { version, links: new Map() };
      const { links } = known.current;
      const service = lab(collection, signal);
      const missing = pids.filter((pid) => !links.has(pid));
      const [titles, ...read] = await Promise.all([
        readTitles(collection, pids.slice(0, 1)),
        ...missing.map((pid) => service.links(pid, { limit: MOST_READ })),
      ]);
      for (const [at, pid] of missing.entries()) links.set(pid, read[at]!);
      const [pid] = pids;
      const middle: InArea = { pid, ...(titles.get(pid) ?? { class: null, title: null, in: null }) };
      const all = [...links.values()];
      const rows = [middle, ...all.flatMap((one) => [...one.from, ...one.to])];
      const names = new Set(rows.flatMap((row) => row.class ?? []));
      const described = await Promise.all([...names].map((one) => readClass(collection, one)));
      return {
        middle,
        links: new Map(links),
        isComplete: all.every(({ complete }) => complete),
        classes: new Map(described.map((one) => [one.class, one])) as Classes,
      };
    },
    written.value,
  );
}

function classTitle(classes: Classes, name: string | null): string {
  return name === null ? t('value.notFound') : (classes.get(name)?.title ?? name);
}

function slotTitles(classes: Classes, { of, slots }: Reference): string {
  const described = of === null ? [] : (classes.get(of)?.slots ?? []);
  return slots.map((name) => slotTitle(described.find((slot) => slot.name === name) ?? { name })).join(', ');
}

const nameOf = ({ title, pid }: InArea) => title || localPart(pid);

type PictureProps = {
  collection: string;
  name: string;
  middle: InArea;
  last: string;
  surroundings: Surroundings;
  classes: Classes;
  opened: Opened;
  toggle(kind: keyof Opened, id: string): void;
};

function Picture(props: PictureProps) {
  const { collection, name, middle, last, surroundings, classes, opened, toggle } = props;
  const { width, height, boxAt, ties } = useMemo(
    () => placed(surroundings, classes),
    [surroundings, classes],
  );
  const { records, groups } = surroundings;
  const isThere = records.has(last) || groups.some(({ id }) => id === last);
  const { x, y } = boxAt(isThere ? last : middle.pid);
  return (
    <Drawing
      {...{ name, width, height }}
      file={localPart(middle.pid)}
      middle={{ x: x + WIDTH / 2, y: y + HEIGHT / 2 }}
    >
      {ties.map(({ from, to: end, points, text, x: left, y: top }) => (
        <g key={`${from} ${end}`}>
          <Arrow points={points} />
          {text !== '' && left !== undefined && top !== undefined && (
            <text x={left} y={top + 4} text-anchor="middle" {...TEXT} fill="var(--ink-3)" {...HALO}>
              {text}
            </text>
          )}
        </g>
      ))}
      {groups.map((group) => (
        <GroupBox
          key={group.id}
          {...{ group, classes }}
          at={boxAt(group.id)}
          onToggle={() => toggle('groups', group.id)}
        />
      ))}
      {[...records.values()].map((record) => (
        <RecordBox
          key={record.pid}
          {...{ collection, record, classes }}
          at={boxAt(record.pid)}
          isOpen={opened.records.has(record.pid)}
          onToggle={() => toggle('records', record.pid)}
        />
      ))}
    </Drawing>
  );
}

/** What refers to a record is on its left. */
function placed({ records, groups, ties }: Surroundings, classes: Classes) {
  const size = { width: WIDTH, height: HEIGHT };
  const boxes = [...records.keys(), ...groups.map(({ id }) => id)].map((id) => ({ id, ...size }));
  const lines = ties.map((tie) => ({ ...tie, text: clipped(slotTitles(classes, tie), LABEL_LETTERS) }));
  const roomFor = (text: string) => ({ width: text.length * CHARACTER + 8, height: 16 });
  const { tieAt, ...picture } = laidOut(
    boxes,
    lines.map(({ from, to: end, text }) => ({ from, to: end, ...(text !== '' && { room: roomFor(text) }) })),
    'LR',
  );
  return { ...picture, ties: lines.map((line, at) => ({ ...tieAt(at), ...line })) };
}

function RecordBox({
  collection,
  record,
  classes,
  at: { x, y },
  isOpen,
  onToggle,
}: {
  collection: string;
  record: Neighbour;
  classes: Classes;
  at: Point;
  isOpen: boolean;
  onToggle(): void;
}) {
  const { pid, steps, isInner } = record;
  const isMiddle = steps === 0;
  const name = nameOf(record);
  const kind = classTitle(classes, record.class);
  const box = (
    <>
      <title>{`${name}, ${kind}`}</title>
      <rect
        {...{ x, y, width: WIDTH, height: HEIGHT }}
        fill={isMiddle ? 'var(--selected)' : 'var(--well)'}
        stroke={isMiddle ? 'var(--ink)' : 'var(--line-control)'}
      />
      <text x={x + 8} y={y + 18} font-weight="600" {...TEXT}>
        {clipped(name, LETTERS)}
      </text>
      <text x={x + 8} y={y + 35} {...TEXT} fill="var(--ink-3)">
        {clipped(kind, LETTERS)}
      </text>
    </>
  );
  return (
    <g>
      {/* The one in the middle leads to its page. */}
      <a href={urlOf([collection, isMiddle ? 'record' : 'surroundings'], { pid })}>{box}</a>
      {isInner && !isMiddle && (
        <Toggle name={to('around', { name })} isOpen={isOpen} onToggle={onToggle}>
          <rect
            {...{ x: x + WIDTH - SIGN, y: y + (HEIGHT - SIGN) / 2, width: SIGN, height: SIGN }}
            fill="transparent"
          />
          <Sign isOpen={isOpen} x={x + WIDTH - SIGN / 2} y={y + HEIGHT / 2} />
        </Toggle>
      )}
    </g>
  );
}

function GroupBox({
  group: { class: className, records, isCut, isOpen },
  classes,
  at: { x, y },
  onToggle,
}: {
  group: Group;
  classes: Classes;
  at: Point;
  onToggle(): void;
}) {
  const kind = classTitle(classes, className);
  const counted = `${count(records)}${isCut ? '+' : ''} ${to('records', { n: records })}`;
  return (
    <Toggle name={`${kind}: ${counted}`} isOpen={isOpen} onToggle={onToggle}>
      {/* A second sheet below the first. */}
      <rect
        {...{ x: x + 4, y: y + 4, width: WIDTH, height: HEIGHT }}
        fill="var(--well)"
        stroke="var(--line-soft)"
      />
      <rect {...{ x, y, width: WIDTH, height: HEIGHT }} fill="var(--well)" stroke="var(--line-control)" />
      <text x={x + 8} y={y + 18} font-weight="600" {...TEXT}>
        {clipped(kind, LETTERS)}
      </text>
      <text x={x + 8} y={y + 35} {...TEXT} fill="var(--ink-3)">
        {counted}
      </text>
      <Sign isOpen={isOpen} x={x + WIDTH - SIGN / 2} y={y + HEIGHT / 2} />
    </Toggle>
  );
}

function Sign({ isOpen, x, y }: Point & { isOpen: boolean }) {
  return (
    <g class="sign">
      <line x1={x - 5} x2={x + 5} y1={y} y2={y} stroke="var(--ink-2)" />
      {!isOpen && <line x1={x} x2={x} y1={y - 5} y2={y + 5} stroke="var(--ink-2)" />}
    </g>
  );
}

/** A button in a picture. */
function Toggle({
  name,
  isOpen,
  onToggle,
  children,
}: {
  name: string;
  isOpen: boolean;
  onToggle(): void;
  children: ComponentChildren;
}) {
  return (
    <g
      role="button"
      // Attributes of SVG are in lower case.
      tabindex={0}
      aria-expanded={isOpen}
      onClick={onToggle}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        onToggle();
      }}
    >
      <title>{name}</title>
      {children}
    </g>
  );
}

function Table({
  collection,
  surroundings: { records, references },
  classes,
}: {
  collection: string;
  surroundings: Surroundings;
  classes: Classes;
}) {
  return (
    <details class="plot">
      <summary>{to('showTable')}</summary>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{to('record')}</th>
            <th scope="col">{to('slot')}</th>
            <th scope="col">{to('refersTo')}</th>
          </tr>
        </thead>
        <tbody>
          {references.map((reference) => (
            <tr key={`${reference.from} ${reference.to}`}>
              <td class="wrap">
                <RecordInArea collection={collection} record={records.get(reference.from)!} />
              </td>
              <td class="wrap">{slotTitles(classes, reference)}</td>
              <td class="wrap">
                <RecordInArea collection={collection} record={records.get(reference.to)!} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
