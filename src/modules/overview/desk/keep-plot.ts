/** Plots as files: an SVG with the colors that it has on the screen, a PNG of twice its size, and its numbers as CSV. */
import { saveAs } from '../../../../ui/shared/service.ts';

const STYLES = [
  'fill',
  'stroke',
  'stroke-width',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
] as const;
const SCALE = 2;

export function saveSvg(svg: SVGSVGElement, name: string): void {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [shown, copied] = [svg, copy].map((one) => [...one.querySelectorAll<SVGElement>('*')]);
  for (const [at, element] of copied!.entries())
    for (const style of STYLES)
      element.setAttribute(style, getComputedStyle(shown![at]!).getPropertyValue(style));
  for (const sign of copy.querySelectorAll('.sign')) sign.remove();
  // Links lead into the desk, which a file is not part of.
  for (const link of copy.querySelectorAll('a')) link.replaceWith(...link.childNodes);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [key, value] of Object.entries({ width: '100%', height: '100%', fill: groundOf(svg) }))
    ground.setAttribute(key, value);
  copy.prepend(ground);
  saveAs(new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }), `${name}.svg`);
}

/** Draws the shapes that plots have: an image would have to be loaded, which the policy of the page does not allow. */
export async function savePng(svg: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = svg.viewBox.baseVal;
  const canvas = new OffscreenCanvas(width * SCALE, height * SCALE);
  const to = canvas.getContext('2d')!;
  to.scale(SCALE, SCALE);
  to.fillStyle = groundOf(svg);
  to.fillRect(0, 0, width, height);
  for (const shape of svg.querySelectorAll<SVGGraphicsElement>('rect, line, text')) draw(to, shape);
  saveAs(await canvas.convertToBlob({ type: 'image/png' }), `${name}.png`);
}

function draw(to: OffscreenCanvasRenderingContext2D, shape: SVGGraphicsElement): void {
  const style = getComputedStyle(shape);
  const number = (name: string) => Number(shape.getAttribute(name) ?? 0);
  switch (shape.tagName) {
    case 'rect':
      to.fillStyle = style.fill;
      to.fillRect(number('x'), number('y'), number('width'), number('height'));
      break;
    case 'line':
      to.strokeStyle = style.stroke;
      to.lineWidth = 1;
      to.beginPath();
      to.moveTo(number('x1'), number('y1'));
      to.lineTo(number('x2'), number('y2'));
      to.stroke();
      break;
    case 'text':
      to.fillStyle = style.fill;
      to.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      to.textAlign = style.textAnchor === 'middle' ? 'center' : (style.textAnchor as 'start' | 'end');
      to.fillText(shape.textContent ?? '', number('x'), number('y'));
  }
}

function groundOf(svg: SVGSVGElement): string {
  return getComputedStyle(svg.closest('.sheet') ?? document.body).backgroundColor;
}

export type Cell = string | number;

export function saveCsv(head: readonly string[], rows: readonly (readonly Cell[])[], name: string): void {
  const lines = [head, ...rows].map((row) => row.map(csvCell).join(','));
  saveAs(new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' }), `${name}.csv`);
}

/** Spreadsheets would compute what begins like a formula. */
function csvCell(cell: Cell): string {
  const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
