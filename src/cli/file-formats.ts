/** How the records of files are written: what commands read and write, by the suffixes of the files. */
import { extname } from 'node:path';

type FileFormat = {
  readonly suffixes: readonly string[];
  /** Of a format that is only read: how messages call it, and the suffixes to use instead. */
  readonly onlyRead?: readonly [title: string, instead: string];
};

/** A format that is written has a writer in `client/export-formats.ts`. */
export const FILE_FORMATS = {
  yaml: { suffixes: ['.yaml', '.yml'] },
  json: { suffixes: ['.json'] },
  ndjson: { suffixes: ['.ndjson', '.jsonl'] },
  ttl: { suffixes: ['.ttl'] },
  jsonld: { suffixes: ['.jsonld'], onlyRead: ['JSON-LD', '.ttl or .nq'] },
  nq: { suffixes: ['.nq'] },
  csv: { suffixes: ['.csv'] },
  xlsx: { suffixes: ['.xlsx'] },
  ods: { suffixes: ['.ods'], onlyRead: ['ODS', '.xlsx'] },
} as const satisfies Readonly<Record<string, FileFormat>>;

export type FileKind = keyof typeof FILE_FORMATS;
export type WrittenKind = {
  [Kind in FileKind]: (typeof FILE_FORMATS)[Kind] extends { onlyRead: unknown } ? never : Kind;
}[FileKind];

const ALL = Object.entries<FileFormat>(FILE_FORMATS) as [FileKind, FileFormat][];
export const FILE_KINDS = ALL.map(([kind]) => kind);
export const WRITTEN_KINDS = ALL.flatMap(([kind, { onlyRead }]) => (onlyRead ? [] : (kind as WrittenKind)));
const SUFFIXES = ALL.flatMap(([, { suffixes }]) => suffixes);

/** Explains that the suffix of a file names no format. */
export function suffixUnknown(path: string): string {
  const old = /\.xls[bm]?$/i.test(path) ? ' Save the workbook as XLSX.' : '';
  return `${path}: expected a file with one of the suffixes ${SUFFIXES.join(', ')}.${old}`;
}

/** How a file is written, by its suffix. */
export function fileKind(path: string): FileKind | undefined {
  const suffix = extname(path).toLowerCase();
  return ALL.find(([, { suffixes }]) => suffixes.includes(suffix))?.[0];
}
