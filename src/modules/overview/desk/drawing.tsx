/** Pictures of graphs: `dagre` lays them out; they are scaled, scrolled, and kept as SVG. */
import { Graph, layout } from '@dagrejs/dagre';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { saveSvg } from './keep-plot.ts';
import { to } from './texts.ts';

export type Point = { readonly x: number; readonly y: number };

type Box = { readonly id: string; readonly width: number; readonly height: number };

/** A line between two boxes. */
type Tie = {
  readonly from: string;
  readonly to: string;
  /** The room for its label, in the middle. */
  readonly room?: { readonly width: number; readonly height: number };
};

type LaidOut = {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of a box. */
  boxAt(id: string): Point;
  /** The bends of the line with an index, and the middle of its label. */
  tieAt(index: number): { readonly points: readonly Point[] } & Partial<Point>;
};

/** @param direction in which lines lead: bottom to top, or left to right */
export function laidOut(boxes: readonly Box[], ties: readonly Tie[], direction: 'BT' | 'LR'): LaidOut {
  const graph = new Graph({ multigraph: true });
  const between = direction === 'BT' ? { nodesep: 32, ranksep: 56 } : { nodesep: 12, ranksep: 40 };
  graph.setGraph({ rankdir: direction, marginx: 16, marginy: 16, ...between });
  for (const { id, ...size } of boxes) graph.setNode(id, size);
  for (const [at, { from, to: end, room }] of ties.entries())
    graph.setEdge(from, end, room ? { ...room, labelpos: 'c' } : {}, String(at));
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    boxAt(id) {
      const box = graph.node(id) as Point & { width: number; height: number };
      return { x: box.x - box.width / 2, y: box.y - box.height / 2 };
    },
    tieAt(index) {
      const { from, to: end } = ties[index]!;
      return graph.edge(from, end, String(index)) as ReturnType<LaidOut['tieAt']>;
    },
  };
}

/** What the buttons change the scale to. */
const SCALES = [0.25, 0.5, 0.75, 1, 1.5, 2] as const;
/** Of all texts. Links and buttons have their names. */
export const TEXT = { 'font-size': '12', fill: 'var(--ink)', 'aria-hidden': true } as const;

type DrawingProps = {
  name: string;
  /** The name of its file. */
  file: string;
  width: number;
  height: number;
  /** What is in the middle of the window, also after the picture has changed. */
  middle?: Point;
  tools?: ComponentChildren;
  children: ComponentChildren;
};

export function Drawing({ name, file, width, height, middle, tools, children }: DrawingProps) {
  const [scale, setScale] = useState(1);
  const svg = useRef<SVGSVGElement>(null);
  const region = useRef<HTMLDivElement>(null);
  const smaller = SCALES.findLast((one) => one < scale);
  const larger = SCALES.find((one) => one > scale);
  const { x, y } = middle ?? {};
  // At first the whole picture is in sight, if it can be.
  useLayoutEffect(() => {
    const { clientWidth, clientHeight } = region.current!;
    setScale(Math.max(SCALES[0], Math.min(1, clientWidth / width, clientHeight / height)));
  }, []);
  useLayoutEffect(() => {
    if (x === undefined || y === undefined) return;
    const { clientWidth, clientHeight } = region.current!;
    region.current!.scrollTo(x * scale - clientWidth / 2, y * scale - clientHeight / 2);
  }, [x, y, scale]);
  return (
    <>
      <p class="btns">
        {tools}
        <button type="button" class="btn" disabled={smaller === undefined} onClick={() => setScale(smaller!)}>
          {to('smaller')}
        </button>
        <button type="button" class="btn" disabled={larger === undefined} onClick={() => setScale(larger!)}>
          {to('larger')}
        </button>
        <button
          type="button"
          class="btn"
          aria-label={to('keep', { title: name, format: 'SVG' })}
          onClick={() => svg.current && saveSvg(svg.current, file)}
        >
          {to('svg')}
        </button>
      </p>
      <div ref={region} class="structure" tabIndex={0} role="region" aria-label={name}>
        <svg
          ref={svg}
          width={width * scale}
          height={height * scale}
          viewBox={`0 0 ${width} ${height}`}
          role="group"
          aria-label={name}
        >
          {children}
        </svg>
      </div>
    </>
  );
}

/** A line with bends and an arrow at its end, which readers of the screen find in the table. */
export function Arrow({
  points,
  isFirm = false,
}: {
  points: readonly Point[];
  /** Whether it is not dashed. */
  isFirm?: boolean;
}) {
  const [end, before] = [points.at(-1)!, points.at(-2)!];
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const side = (turn: number) => ({
    x: end.x - 8 * Math.cos(angle + turn),
    y: end.y - 8 * Math.sin(angle + turn),
  });
  return (
    <g aria-hidden="true">
      {points.slice(1).map((point, at) => (
        <line
          key={`${point.x} ${point.y}`}
          x1={points[at]!.x}
          y1={points[at]!.y}
          x2={point.x}
          y2={point.y}
          stroke={isFirm ? 'var(--ink-3)' : 'var(--line-control)'}
          stroke-dasharray={isFirm ? undefined : '4 3'}
        />
      ))}
      {[0.4, -0.4].map((turn) => (
        <line key={turn} x1={end.x} y1={end.y} x2={side(turn).x} y2={side(turn).y} stroke="var(--ink-3)" />
      ))}
    </g>
  );
}

/** A label of at most so many characters. */
export function clipped(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
