/** Writes to standard output: tables for people, JSON for programs. */
import { writeFileSync } from 'node:fs';
import type { JsonValue } from '#linkml/json.ts';

/** A row of a table: a value for each column. */
export type PrintedRow = Readonly<Record<string, unknown>>;

/** Waits while the reader of the output is slower than the program. */
export async function write(text: string | Uint8Array): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise((done) => process.stdout.once('drain', done));
}

/** Writes to a file; without one, to standard output. */
export async function writeTo(file: string | undefined, text: string): Promise<void> {
  if (file === undefined) await write(text);
  else writeFileSync(file, text);
}

/** The option of commands that print for people, or for programs. */
export type PrintOptions = { readonly json?: boolean };

/** Rows as a table with a heading; with `json` as one JSON array. */
export async function printRows(
  rows: readonly PrintedRow[],
  columns: readonly string[],
  json = false,
): Promise<void> {
  if (json) return write(`${JSON.stringify(rows, undefined, 2)}\n`);
  if (rows.length === 0) return;
  await write(tableText(rows, columns, process.stdout.isTTY ? process.stdout.columns : undefined));
}

/** Prints the rows that were found like {@link printRows}, or that there are none. */
export async function printFound(
  rows: readonly PrintedRow[],
  columns: readonly string[],
  json = false,
): Promise<void> {
  if (!json && rows.length === 0) process.stderr.write('Nothing found.\n');
  await printRows(rows, columns, json);
}

/** A value for people as `name: value` lines; with `json` as JSON. */
export async function printValue(value: object, json = false): Promise<void> {
  await write(json ? `${JSON.stringify(value, undefined, 2)}\n` : valueText(value));
}

export function valueText(value: object): string {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  const width = Math.max(0, ...entries.map(([key]) => key.length));
  return entries.map(([key, inner]) => `${key.padEnd(width)}  ${cellText(inner)}\n`).join('');
}

/** The table; the last column is cut to the width of the terminal. */
export function tableText(rows: readonly PrintedRow[], columns: readonly string[], width?: number): string {
  const cells = [columns, ...rows.map((row) => columns.map((column) => cellText(row[column])))];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => [...(row[i] as string)].length)));
  return cells
    .map((row) => {
      const line = row
        .map((cell, i) =>
          i === row.length - 1 ? cell : cell + ' '.repeat((widths[i] as number) - [...cell].length),
        )
        .join('  ');
      const shown =
        width !== undefined && [...line].length > width ? `${[...line].slice(0, width - 1).join('')}…` : line;
      return `${shown.trimEnd()}\n`;
    })
    .join('');
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return harmless(value.replaceAll(/\s+/g, ' '));
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return cellText(value.join(', '));
  return harmless(JSON.stringify(value as JsonValue));
}

/** Control characters as escapes: records and reasons of others must not control the terminal. */
function harmless(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (one) => {
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** `1 record`, `2 records`. */
export function countText(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}
