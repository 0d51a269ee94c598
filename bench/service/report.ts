/** The results as a table to read, and as a file to keep. */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import type { Measurement } from './measure.ts';
import type { Workload } from './workloads.ts';

const RESULTS = path.resolve(import.meta.dirname, '../results');

export type Row = {
  readonly workload: string;
  readonly aim: Workload['aim'];
  readonly accession: Measurement;
  readonly floor?: Measurement;
  readonly peer?: Measurement;
};

/** A Markdown table of the rows. */
export function tableOf(rows: readonly Row[]): string {
  const head = [
    'workload',
    'rate /s',
    'p50 ms',
    'p99 ms',
    'floor /s',
    'of the floor',
    'peer /s',
    'times the peer',
  ];
  const lines = rows.map(({ workload, aim, accession, floor, peer }) => [
    accession.failures === 0 ? workload : `${workload} (${accession.failures} failures!)`,
    number(accession.rate),
    number(accession.p50),
    number(accession.p99),
    floor ? number(floor.rate) : '',
    floor ? aimed(accession.rate / floor.rate, aim.floor, percent) : '',
    peer ? number(peer.rate) : '',
    peer ? aimed(accession.rate / peer.rate, aim.peer, times) : '',
  ]);
  return markdown(head, lines);
}

export function markdown(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...lines.map((line) => line[i]?.length ?? 0)));
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
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
