/** The results as a table to read, and as a file to keep. */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import type { Round } from './measure.ts';
import type { Workload } from './workloads.ts';

const RESULTS = path.resolve(import.meta.dirname, '../results');

export type Row = {
  readonly workload: string;
  readonly kind: Workload['kind'];
  readonly aim: Workload['aim'];
  readonly accession: Round;
  readonly floor?: Round;
  readonly beside?: Round;
  readonly peer?: Round;
};

/** The p99 may be this multiple of the p50. */
const LONGEST_TAIL = 10;

/**
 * A Markdown table of the rows. Shares of the floor are given by rate and by processor time; the latter hardly depends
 * on what else the machine does.
 *
 * @param floorPage the floor at pages of 50, which some aims refer to
 */
export function tableOf(rows: readonly Row[], floorPage: Round | undefined): string {
  const head = [
    ...['workload', 'kind', 'rate /s', 'p50 ms', 'p99 ms', 'p99 / p50', 'longest wait ms'],
    ...[
      'floor /s',
      'floor p99 ms',
      'of the floor',
      'processor µs',
      'of the floor, processor',
      "of the floor's pages, processor",
    ],
    ...(rows.some(({ beside }) => beside) ? ['beside /s', 'times beside', 'times beside, processor'] : []),
    ...(rows.some(({ peer }) => peer) ? ['peer /s', 'times the peer'] : []),
  ];
  const lines = rows.map(({ workload, kind, aim, accession, floor, beside, peer }) => {
    const { rate, p50, p99, longestWait, processor, failures } = accession;
    const pages = aim.floorPage === undefined ? undefined : floorPage;
    return [
      ...[failures === 0 ? workload : `${workload} (${failures} failures!)`, kind],
      ...[rate, p50, p99].map(number),
      ...[tail(accession), number(longestWait)],
      floor ? number(floor.rate) : '',
      floor ? number(floor.p99) : '',
      floor ? percent(rate / floor.rate) : '',
      number(processor),
      floor ? aimed(floor.processor / processor, aim.floor, percent) : '',
      pages ? aimed(pages.processor / processor, aim.floorPage, percent) : '',
      ...(beside
        ? [number(beside.rate), times(rate / beside.rate), times(beside.processor / processor)]
        : []),
      ...(peer ? [number(peer.rate), aimed(rate / peer.rate, aim.peer, times)] : []),
    ];
  });
  return markdown(head, lines);
}

function tail({ p50, p99 }: Round): string {
  const ratio = p99 / p50;
  return `${number(ratio)}${ratio > LONGEST_TAIL ? ' (missed)' : ''}`;
}

export function markdown(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...lines.map((line) => line[i]?.length ?? 0)));
  const row = (cells: readonly string[]) =>
    `| ${widths.map((width, i) => (cells[i] ?? '').padEnd(width)).join(' | ')} |`;
  return [row(head), row(widths.map((width) => '-'.repeat(width))), ...lines.map(row)].join('\n');
}

/** A ratio with its aim, where there is one. */
function aimed(ratio: number, aim: number | undefined, write: (ratio: number) => string): string {
  if (aim === undefined) return write(ratio);
  return `${write(ratio)} (aim ${write(aim)}${ratio < aim ? ', missed' : ''})`;
}

export function number(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`;
}

function times(ratio: number): string {
  return `${ratio < 10 ? ratio.toFixed(1) : ratio.toFixed(0)} ×`;
}

/** Writes the results beside those of earlier runs. */
export async function keep(name: string, results: object): Promise<string> {
  await mkdir(RESULTS, { recursive: true });
  const time = new Date().toISOString();
  const file = path.join(RESULTS, `${name}-${time.replaceAll(/[:.]/g, '-')}.json`);
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memory: totalmem(), node: process.version };
  await writeFile(file, `${JSON.stringify({ time, machine, ...results }, null, 2)}\n`);
  return file;
}
