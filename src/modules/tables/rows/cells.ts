/**
 * Cells ⇄ values. Several values are separated by `|`; a backslash keeps a `|` or a blank at the edge of a value as it is,
 * and is itself anywhere else; `\e` is an empty string, and `\#N/A` the text of an error. What is not text is JSON.
 */
import { canonicalJson, type JsonValue, parseJson, parseUniqueJson, RepeatedKeyError } from '#linkml/json.ts';
import { comparable } from '#linkml/look-alikes.ts';
import type { SlotRange } from '../../../core/schema/schema.ts';
import { CellFault, isErrorWord, shorten } from '../files/table.ts';
import type { Value } from './columns.ts';
import { type CellLocale, withoutLocale } from './locale.ts';

/** Finds the records that a label names: their pids. */
export type FindLabel = (label: string, className: string) => readonly string[];

/** The input of reading a cell. */
export type CellContext = {
  /** Whether a string is a pid: a CURIE with a known prefix, or an IRI. */
  readonly isPid: (text: string) => boolean;
  readonly findLabel: FindLabel;
  readonly locale?: CellLocale;
};

/**
 * The value of a cell; undefined for an empty one. A string that is not of the slot's type is returned as it is: the schema
 * then reports it.
 *
 * @throws CellFault for a label that names no record or several, and for broken JSON
 */
export function readCell(text: string, value: Value, context: CellContext): JsonValue | undefined {
  if (text.trim() === '') return undefined;
  if (isStructured(value)) return isList(value) ? readObjects(text) : readJson(text);
  if (!value.multivalued) return readOne(unescaped(text), value.range, context);
  const parts = split(text).filter((part) => part.trim() !== '');
  return parts.map((part) => readOne(unescaped(part), value.range, context));
}

function readOne(written: string, range: SlotRange, context: CellContext): JsonValue {
  const text = context.locale ? withoutLocale(written, range, context.locale) : written;
  switch (range.kind) {
    case 'type':
      if (range.type.base === 'boolean') return GERMAN_BOOLEANS.get(text.trim().toLowerCase()) ?? text;
      return NUMERIC.has(range.type.base) ? readNumber(text) : text;
    case 'enum':
      return permissible(text, range);
    case 'class':
      return range.inlining === 'reference' ? reference(text, range.className, context) : readJson(text);
    default:
      return readFree(text);
  }
}

/** German words, which no other type has; spreadsheet programs write the last two into CSV. The schema reads the English ones. */
const GERMAN_BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['ja', true],
  ['nein', false],
  ['wahr', true],
  ['falsch', false],
]);

// A decimal is a string in JSON, which keeps its digits.
const NUMERIC = new Set(['integer', 'float', 'double']);
const NUMBER_CELL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

function readNumber(text: string): JsonValue {
  return NUMBER_CELL.test(text) ? parseJson(text) : text;
}

/** A permissible value, also by its title, an alias or in another case. */
function permissible(text: string, range: Extract<SlotRange, { kind: 'enum' }>): string {
  const { values } = range.enum;
  if (values.has(text)) return text;
  const folded = foldedValue(text);
  const similar = [...values.values()].filter(({ text: value, title, aliases }) =>
    [value, ...(title === undefined ? [] : [title]), ...aliases].some((one) => foldedValue(one) === folded),
  );
  return similar.length === 1 ? (similar[0]?.text as string) : text;
}

function foldedValue(text: string): string {
  return comparable(text).trim().toLowerCase();
}

function reference(text: string, className: string, { isPid, findLabel }: CellContext): string {
  if (isPid(text)) return text;
  const pids = findLabel(text, className);
  if (pids.length === 1) return pids[0] as string;
  if (pids.length === 0) {
    throw new CellFault('reference_unknown', `No ${className} has the pid or label "${shorten(text)}".`);
  }
  const shown = pids.slice(0, 5).join(', ');
  throw new CellFault(
    'reference_ambiguous',
    `The label "${shorten(text)}" names ${pids.length} records: ${shown}. Use the pid.`,
  );
}

/** A value that the schema does not type: JSON if it reads as such, else a string. */
function readFree(text: string): JsonValue {
  try {
    return parseUniqueJson(text);
  } catch (error) {
    if (error instanceof RepeatedKeyError) throw keyRepeated(error);
    return text;
  }
}

function keyRepeated({ key }: RepeatedKeyError): CellFault {
  const message = `The JSON has the key "${shorten(key)}" twice in one object. Remove one of them.`;
  return new CellFault('json_invalid', message);
}

function readJson(text: string): JsonValue {
  try {
    return parseUniqueJson(text);
  } catch (error) {
    if (error instanceof RepeatedKeyError) throw keyRepeated(error);
    throw new CellFault(
      'json_invalid',
      `Expected JSON, since the slot holds objects, found "${shorten(text)}".`,
    );
  }
}

/** A JSON list of objects, one object, or several with `|` between them. */
function readObjects(text: string): JsonValue {
  const pieces = [''];
  // A `|` in a JSON string is not between objects.
  for (const [piece] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[^"|]+|\|/g)) {
    if (piece === '|') pieces.push('');
    else pieces[pieces.length - 1] += piece;
  }
  const values = pieces.map(readJson);
  return values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
}

function isList({ range, multivalued }: Value): boolean {
  return multivalued && range.kind === 'class' && range.inlining === 'object';
}

/** The text of a value, such that {@link readCell} reads it again. */
export function writeCell(value: JsonValue | undefined, column: Value): string {
  if (value === undefined || value === null) return '';
  if (isStructured(column)) return canonicalJson(value);
  return writeValues(column.multivalued && Array.isArray(value) ? value : [value], column.range);
}

/** The text of values that are neither objects nor lists. */
export function writeValues(values: readonly JsonValue[], range: { readonly kind: string }): string {
  // The backslashes at the end of a value would be those of the `|` after it.
  const last = values.length - 1;
  return values
    .map((one, i) => writeValue(one, range).replace(/(?<!\\)\\+$/, i < last ? '$&$&' : '$&'))
    .join('|');
}

function writeValue(value: JsonValue, range: { readonly kind: string }): string {
  if (typeof value !== 'string') return escapedCell(canonicalJson(value));
  const free = range.kind === 'any' || range.kind === 'union' || range.kind === 'array';
  return escapedCell(free && isJson(value) ? JSON.stringify(value) : value);
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether values are objects or lists in lists: then the whole cell is JSON. */
function isStructured({ range, multivalued }: Value): boolean {
  if (range.kind === 'class') return range.inlining !== 'reference';
  if (range.kind === 'array') return true;
  if (range.kind === 'union')
    return multivalued && range.alternatives.some((one) => isStructured({ range: one, multivalued: false }));
  return range.kind === 'any' && multivalued;
}

/** The parts between `|` that have an even number of backslashes before them, which stand for half as many. */
function split(text: string): string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/\\+\|?|\||[^\\|]+/g)) {
    const isBetween = piece.endsWith('|') && piece.length % 2 === 1;
    parts[parts.length - 1] += isBetween ? piece.slice(0, piece.length >> 1) : piece;
    if (isBetween) parts.push('');
  }
  return parts;
}

/** An empty string; an empty cell has no value. */
const EMPTY = '\\e';
const EMPTY_KEPT = /^\\{2,}e$/;

/** Whether a string is that of an error behind backslashes, one of which is dropped when it is read. */
function isKeptError(text: string): boolean {
  return text.startsWith('\\') && isErrorWord(text.replace(/^\\+/, ''));
}

/** Blanks at the edges are dropped, unless a backslash is before them. */
function unescaped(text: string): string {
  const begun = text.trimStart();
  const trimmed = begun.trimEnd();
  const backslashes = trimmed.length - trimmed.search(/(?<!\\)\\*$/);
  const kept = backslashes % 2 === 1 ? begun.slice(0, trimmed.length + 1) : trimmed;
  if (kept === EMPTY) return '';
  if (EMPTY_KEPT.test(kept) || isKeptError(kept)) return kept.slice(1);
  return kept.replaceAll(/(?<!\\)\\+(?:\||\s$)|^\\+\s/g, (found) => {
    const isKept = found.length % 2 === 0;
    return isKept || found.endsWith('|') ? found.slice(0, (found.length - 1) >> 1) + found.at(-1) : found;
  });
}

function escapedCell(text: string): string {
  if (text === '') return EMPTY;
  if (text === EMPTY || EMPTY_KEPT.test(text)) return `\\${text}`;
  if (text === text.trim() && (isErrorWord(text) || isKeptError(text))) return `\\${text}`;
  return text.replaceAll(/(?<!\\)\\*(?:\||\s$)|^\\*\s/g, (found) => `${found.slice(0, -1)}\\${found}`);
}
