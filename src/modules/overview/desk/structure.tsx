/** The schema as a picture: classes with their slots, what they refer to, and what they are a kind of. */
import { useMemo, useState } from 'preact/hooks';
import { useContext, type ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Bones, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import {
  type ClassDescription,
  type Range,
  readClass,
  readClasses,
  slotTitle,
} from '../../../../ui/shared/schema.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { Arrow, clipped, Drawing, laidOut, TEXT } from './drawing.tsx';
import { to } from './texts.ts';
import { title } from './title.ts';

/** Classes of a picture, and slots that are shown of each. */
const MOST_CLASSES = 200;
const MOST_SLOTS = 12;
const WIDTH = 200;
const ROW = 18;
const HEAD = 28;
const GAP = 8;
/** Characters in a line of a class. */
const LETTERS = 28;

type Edge = {
  readonly from: string;
  readonly to: string;
  readonly kind: 'is' | 'refers';
  readonly label: string;
};

export function Structure({ collection }: ViewProps) {
  useContext(null, collection);
  const { value, error, reload } = useLoad(collection, async (signal) => {
    const classes = (await readClasses(collection, signal)).slice(0, MOST_CLASSES);
    return Promise.all(classes.map((one) => readClass(collection, one.class)));
  });
  return (
    <Sheets>
      <MainSheet
        title={to('structure')}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          { text: title(), href: urlOf([collection, 'overview']) },
        ]}
      >
        <div class="page wide">
          {error && <ErrorNote error={error} retry={reload} />}
          {!value && !error && <Bones rows={8} />}
          {value && <Picture collection={collection} classes={value} />}
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** The classes that a range refers to or contains. */
function classesIn(range: Range): string[] {
  if (range.kind === 'class') return [range.class];
  if (range.kind === 'union') return range.alternatives.flatMap((one) => classesIn(one as Range));
  return range.kind === 'array' ? classesIn(range.of as Range) : [];
}

/** Slots that a class does not have from the one above it. */
function ownSlots(description: ClassDescription, byName: ReadonlyMap<string, ClassDescription>) {
  const parent = description.is_a === null ? undefined : byName.get(description.is_a);
  const inherited = new Set(parent?.slots.map(({ name }) => name));
  return description.slots.filter(({ name }) => !inherited.has(name));
}

function Picture({ collection, classes }: { collection: string; classes: readonly ClassDescription[] }) {
  const [sought, setSought] = useState('');
  const { nodes, edges, lines, width, height } = useMemo(() => drawn(classes), [classes]);
  const words = sought.trim().toLowerCase();
  const isFound = (description: ClassDescription) =>
    words !== '' &&
    [description.title, description.class, ...description.slots.map(({ name }) => name)].some((text) =>
      text?.toLowerCase().includes(words),
    );
  const name = to('classesOf', { name: collection });
  return (
    <>
      <Drawing
        name={name}
        file={`${collection}-schema`}
        width={width}
        height={height}
        tools={
          <input
            class="input"
            type="search"
            aria-label={to('find')}
            placeholder={to('find')}
            value={sought}
            onInput={(event) => setSought(event.currentTarget.value)}
          />
        }
      >
        {lines.map(({ points, kind, label, from, to: end }) => (
          <Arrow key={`${from} ${end} ${label}`} points={points} isFirm={kind === 'is'} />
        ))}
        {nodes.map(({ description, slots, more, x, y, h }) => (
          <a key={description.class} href={urlOf([collection, 'overview', description.class])}>
            <title>{description.title ?? description.class}</title>
            <rect
              x={x}
              y={y}
              width={WIDTH}
              height={h}
              fill={isFound(description) ? 'var(--selected)' : 'var(--well)'}
              stroke={isFound(description) ? 'var(--ink)' : 'var(--line-control)'}
            />
            <text x={x + 8} y={y + 19} font-weight="600" {...TEXT}>
              {clipped(description.title ?? description.class, LETTERS)}
            </text>
            {slots.map((slot, at) => (
              <text key={slot} x={x + 8} y={y + HEAD + 13 + at * ROW} {...TEXT} fill="var(--ink-2)">
                {clipped(slot, LETTERS)}
              </text>
            ))}
            {more > 0 && (
              <text x={x + 8} y={y + HEAD + 13 + slots.length * ROW} {...TEXT} fill="var(--ink-3)">
                +{more}
              </text>
            )}
          </a>
        ))}
      </Drawing>
      <details class="plot">
        <summary>{to('showTable')}</summary>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{to('class')}</th>
              <th scope="col">{to('isA')}</th>
              <th scope="col">{to('refersTo')}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map(({ description }) => (
              <tr key={description.class}>
                <th scope="row">{description.title ?? description.class}</th>
                <td>{description.is_a ?? '–'}</td>
                <td class="wrap">
                  {edges
                    .filter(({ from, kind }) => from === description.class && kind === 'refers')
                    .map(({ to: end, label }) => `${label} → ${end}`)
                    .join(', ') || '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** A class that refers to itself has a sign at the slot. */
const isDrawn = (edge: Pick<Edge, 'from' | 'to'>) => edge.from !== edge.to;

/** Where `dagre` places the classes, and the lines between them. */
function drawn(classes: readonly ClassDescription[]) {
  const byName = new Map(classes.map((one) => [one.class, one]));
  const nodes = classes.map((description) => {
    const own = ownSlots(description, byName);
    const slots = own
      .slice(0, MOST_SLOTS)
      .map((slot) => `${slotTitle(slot)}${classesIn(slot.range).includes(description.class) ? ' ↺' : ''}`);
    const more = own.length - slots.length;
    return { description, own, slots, more, h: HEAD + (slots.length + Number(more > 0)) * ROW + GAP };
  });
  const edges: Edge[] = nodes.flatMap(({ description, own }) => [
    ...(description.is_a !== null && byName.has(description.is_a)
      ? [{ from: description.class, to: description.is_a, kind: 'is' as const, label: '' }]
      : []),
    ...own.flatMap((slot) =>
      [...new Set(classesIn(slot.range))]
        .filter((name) => byName.has(name))
        .map((name) => ({
          from: description.class,
          to: name,
          kind: 'refers' as const,
          label: slotTitle(slot),
        })),
    ),
  ]);
  const shown = edges.filter(isDrawn);
  const boxes = nodes.map(({ description, h }) => ({ id: description.class, width: WIDTH, height: h }));
  const { width, height, boxAt, tieAt } = laidOut(boxes, shown, 'BT');
  return {
    width,
    height,
    edges,
    nodes: nodes.map((node) => ({ ...node, ...boxAt(node.description.class) })),
    lines: shown.map((edge, at) => ({ ...edge, ...tieAt(at) })),
  };
}
