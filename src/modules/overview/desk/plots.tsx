/**
 * Plots as SVG, in the colors of the desk: bars with names, and columns along an axis. Each has a table with its numbers, and can be kept as
 * a file. `d3-scale` makes scales and round ticks; the elements are ours, since each bar is a link and the page allows no inline styles.
 */
import { scaleBand, scaleLinear } from 'd3-scale';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { count } from '../../../../ui/shared/time.ts';
import { type Cell, saveCsv, savePng, saveSvg } from './keep-plot.ts';
import { to } from './texts.ts';

type Series = { readonly name: string; readonly fill: string };

/** What a bar or a column stands for: a value of each series, one on top of the other. */
export type Mark = {
  readonly label: string;
  readonly values: readonly number[];
  readonly href?: string | undefined;
};

export const INK: Series['fill'] = 'var(--ink-3)';

type PlotProps = {
  title: string;
  /** Of the marks, for the table. */
  head: string;
  series: readonly Series[];
  marks: readonly Mark[];
  help?: string | undefined;
};

const BAR = 28;
/** The widest of usual fonts. */
const CHARACTER = 7.2;
/** The title of a bar has its words, too. */
const UNREAD = { 'font-size': '12', 'aria-hidden': true } as const;
const TEXT = { ...UNREAD, fill: 'var(--ink)' };
const FAINT = { ...UNREAD, fill: 'var(--ink-3)' };
/** Of columns. */
const HEIGHT = 200;
const FOOT = 24;
const LEFT = 48;

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const named = ({ label, values }: Mark, series: readonly Series[]) =>
  `${label} ${values.map((value, at) => (series.length > 1 ? `${series[at]!.name} ${count(value)}` : count(value))).join(', ')}`;

/** Bars below each other, for things with names. */
export function Bars(props: PlotProps) {
  const { series, marks } = props;
  return (
    <Plot {...props}>
      {(width) => {
        const label = Math.min(220, width * 0.38);
        const scale = scaleLinear()
          .domain([0, Math.max(1, ...marks.map(({ values }) => sum(values)))])
          .range([0, Math.max(1, width - label - 64)]);
        return {
          height: marks.length * BAR,
          content: marks.map((mark, at) => {
            const y = at * BAR;
            let x = label + 8;
            return (
              <MarkLink key={mark.label} mark={mark} series={series}>
                <rect x={0} y={y} width={width} height={BAR} fill="transparent" />
                <text x={label} y={y + 18} text-anchor="end" {...TEXT}>
                  {clipped(mark.label, label)}
                </text>
                {mark.values.map((value, index) => {
                  const from = x;
                  x += scale(value);
                  return (
                    <rect
                      key={series[index]!.name}
                      x={from}
                      y={y + 5}
                      width={x - from}
                      height={BAR - 10}
                      class={`series-${index}`}
                      fill={series[index]!.fill}
                    />
                  );
                })}
                <text x={x + 6} y={y + 18} {...FAINT}>
                  {count(sum(mark.values))}
                </text>
              </MarkLink>
            );
          }),
        };
      }}
    </Plot>
  );
}

/** Columns along an axis, for ranges and weeks. */
export function Columns(props: PlotProps) {
  const { series, marks } = props;
  return (
    <Plot {...props}>
      {(width) => {
        const most = Math.max(1, ...marks.map(({ values }) => sum(values)));
        const y = scaleLinear().domain([0, most]).nice(4).range([HEIGHT, 8]);
        const x = scaleBand<number>()
          .domain(marks.map((_, at) => at))
          .range([LEFT, width])
          .padding(marks.length > 40 ? 0.1 : 0.2);
        const longest = Math.max(...marks.map(({ label }) => label.length));
        const step = Math.max(1, Math.ceil((longest * CHARACTER + 12) / x.step()));
        return {
          height: HEIGHT + FOOT,
          content: (
            <>
              {y
                .ticks(4)
                .filter(Number.isInteger)
                .map((tick) => (
                  <g key={tick}>
                    <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} stroke="var(--line-soft)" />
                    <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end" {...FAINT}>
                      {count(tick)}
                    </text>
                  </g>
                ))}
              {marks.map((mark, at) => {
                let top = HEIGHT;
                return (
                  <MarkLink key={mark.label} mark={mark} series={series}>
                    <rect x={x(at)!} y={8} width={x.bandwidth()} height={HEIGHT - 8} fill="transparent" />
                    {mark.values.map((value, index) => {
                      const height = HEIGHT - y(value);
                      top -= height;
                      return (
                        <rect
                          key={series[index]!.name}
                          x={x(at)!}
                          y={top}
                          width={x.bandwidth()}
                          height={height}
                          class={`series-${index}`}
                          fill={series[index]!.fill}
                        />
                      );
                    })}
                  </MarkLink>
                );
              })}
              {marks.map(({ label }, at) => {
                const half = (label.length * CHARACTER) / 2;
                const middle = x(at)! + x.bandwidth() / 2;
                return at % step === 0 && middle + half <= width ? (
                  <text
                    key={label}
                    x={Math.max(half, middle)}
                    y={HEIGHT + 16}
                    text-anchor="middle"
                    {...FAINT}
                  >
                    {label}
                  </text>
                ) : null;
              })}
            </>
          ),
        };
      }}
    </Plot>
  );
}

/** The words of a label that fit. */
function clipped(label: string, width: number): string {
  const most = Math.floor(width / CHARACTER);
  return label.length > most ? `${label.slice(0, most - 1)}…` : label;
}

function MarkLink({
  mark,
  series,
  children,
}: {
  mark: Mark;
  series: readonly Series[];
  children: ComponentChildren;
}) {
  const name = named(mark, series);
  const content = (
    <>
      <title>{name}</title>
      {children}
    </>
  );
  if (mark.href === undefined) return <g>{content}</g>;
  return <a href={mark.href}>{content}</a>;
}

type Drawn = { readonly height: number; readonly content: ComponentChildren };

function Plot({
  title,
  head,
  series,
  marks,
  help,
  children,
}: PlotProps & { children: (width: number) => Drawn }) {
  const box = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const name = title.replace(/[^\p{L}\p{N}]+/gu, '-');
  const heads = [head, ...series.map((one) => one.name)];
  const rows: Cell[][] = marks.map(({ label, values }) => [label, ...values]);
  const isEmpty = marks.every(({ values }) => sum(values) === 0);
  const drawn = width > 0 && !isEmpty ? children(width) : undefined;
  const keep = (format: 'csv' | 'svg' | 'png', save: () => unknown) => (
    <button
      type="button"
      class="btn quiet small"
      aria-label={to('keep', { title, format: to(format) })}
      onClick={() => void save()}
    >
      {to(format)}
    </button>
  );
  return (
    <figure class="plot">
      <figcaption class="head">
        <h2>{title}</h2>
        <span class="push" />
        {!isEmpty && (
          <span class="btns">
            {keep('csv', () => saveCsv(heads, rows, name))}
            {keep('svg', () => svg.current && saveSvg(svg.current, name))}
            {keep('png', () => svg.current && savePng(svg.current, name))}
          </span>
        )}
      </figcaption>
      {help && <p class="muted">{help}</p>}
      {series.length > 1 && !isEmpty && (
        <p class="legend">
          {series.map((one, index) => (
            <span key={one.name}>
              <svg width="12" height="12" aria-hidden="true">
                <rect class={`series-${index}`} width="12" height="12" fill={one.fill} />
              </svg>{' '}
              {one.name}
            </span>
          ))}
        </p>
      )}
      <div ref={box}>
        {isEmpty && <p class="faint">{to('noChart')}</p>}
        {drawn && (
          <svg
            ref={svg}
            width={width}
            height={drawn.height}
            viewBox={`0 0 ${width} ${drawn.height}`}
            role="group"
            aria-label={title}
          >
            {drawn.content}
          </svg>
        )}
      </div>
      {!isEmpty && (
        <details>
          <summary>{to('showTable')}</summary>
          <div class="wide-table" tabIndex={0} role="region" aria-label={title}>
            <table class="table">
              <thead>
                <tr>
                  {heads.map((one, at) => (
                    <th key={one} scope="col" class={at > 0 ? 'num' : undefined}>
                      {one}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {marks.map(({ label, values, href }) => (
                  <tr key={label}>
                    <th scope="row">{href === undefined ? label : <a href={href}>{label}</a>}</th>
                    {values.map((value, at) => (
                      <td key={heads[at + 1]} class="num">
                        {count(value)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </figure>
  );
}
