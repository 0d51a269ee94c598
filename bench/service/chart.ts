/** A line chart as SVG: cost relative to that of the smallest collection, over the number of records. */

export type Series = { readonly name: string; readonly values: readonly number[] };

const WIDTH = 800;
const HEIGHT = 360;
const LEFT = 60;
const RIGHT = 380;
const TOP = 30;
const BOTTOM = 50;
const COLOURS = ['#1b6ca8', '#c0392b', '#1e8449', '#8e44ad', '#b9770e', '#34495e'];
/** Each color is used with one after the other. */
const DASHES = ['', ' stroke-dasharray="6 3"', ' stroke-dasharray="2 2"'];

export function chart(sizes: readonly number[], series: readonly Series[]): string {
  const top = Math.max(2, Math.ceil(Math.max(...series.flatMap(({ values }) => values))));
  const x = (i: number) => LEFT + (i / Math.max(1, sizes.length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const step = Math.max(1, Math.ceil(top / 6));
  const grid = Array.from({ length: Math.floor(top / step) + 1 }, (_, i) => i * step).map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/>` +
      `<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${value} ×</text>`,
  );
  const ticks = sizes.map(
    (size, i) =>
      `<text x="${x(i)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
  );
  const lines = series.map(({ name, values }, i) => {
    const colour = COLOURS[i % COLOURS.length];
    const dashes = DASHES[Math.floor(i / COLOURS.length) % DASHES.length];
    const points = values.map((value, j) => `${x(j).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    const label = TOP + 12 + i * 20;
    return (
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"${dashes}/>` +
      `<line x1="${WIDTH - RIGHT + 16}" x2="${WIDTH - RIGHT + 36}" y1="${label - 4}" y2="${label - 4}" stroke="${colour}" stroke-width="2"${dashes}/>` +
      `<text x="${WIDTH - RIGHT + 42}" y="${label}">${name}</text>`
    );
  });
  const title = `<text x="${LEFT}" y="18">time of a request, relative to the smallest collection</text>`;
  const foot = `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">records in the collection</text>`;
  const body = [title, ...grid, ...ticks, ...lines, foot].join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>The time of a request, relative to the smallest collection, over the number of records</title>
<rect width="100%" height="100%" fill="white"/>
${body}
</svg>
`;
}
