/** Formats of files with records, by their suffixes: those that commands read and write, and what modules add to them. */
import { extname } from 'node:path';

export type FileFormat = {
  /** Its name in messages. */
  readonly title: string;
  readonly suffixes: readonly string[];
  /** Of a format that is only read: the suffixes to write instead. */
  readonly onlyRead?: string;
  /** Files that look like it and are not read, and what to do with them. */
  readonly unread?: { readonly suffix: RegExp; readonly advice: string };
};

export type FileFormats = Readonly<Record<string, FileFormat>>;

/** The formats of texts. One that is written has a writer in `client/export-formats.ts`. */
export const TEXT_FORMATS = {
  yaml: { title: 'YAML', suffixes: ['.yaml', '.yml'] },
  json: { title: 'JSON', suffixes: ['.json'] },
  ndjson: { title: 'NDJSON', suffixes: ['.ndjson', '.jsonl'] },
  ttl: { title: 'Turtle', suffixes: ['.ttl'] },
  jsonld: { title: 'JSON-LD', suffixes: ['.jsonld'], onlyRead: '.ttl or .nq' },
  nq: { title: 'N-Quads', suffixes: ['.nq'] },
} as const satisfies FileFormats;

export type TextKind = keyof typeof TEXT_FORMATS;
export type WrittenText = Exclude<TextKind, 'jsonld'>;

export function isText(kind: string): kind is TextKind {
  return Object.hasOwn(TEXT_FORMATS, kind);
}

/** The formats of texts, and those of modules. */
export function allFormats(files: readonly { readonly formats: FileFormats }[]): FileFormats {
  return Object.assign({}, TEXT_FORMATS, ...files.map(({ formats }) => formats));
}

/** The names of the formats that are written. */
export function writtenKinds(formats: FileFormats): string[] {
  return Object.keys(formats).filter((kind) => formats[kind]!.onlyRead === undefined);
}

/** Explains that the suffix of a file names no format. */
export function suffixUnknown(path: string, formats: FileFormats): string {
  const all = Object.values(formats);
  const advice = all.find(({ unread }) => unread?.suffix.test(path))?.unread?.advice;
  const suffixes = all.flatMap((one) => one.suffixes).join(', ');
  return `${path}: expected a file with one of the suffixes ${suffixes}.${advice === undefined ? '' : ` ${advice}`}`;
}

/** The format of a file, by its suffix. */
export function fileKind<Kind extends string>(
  path: string,
  formats: Readonly<Record<Kind, FileFormat>>,
): Kind | undefined {
  const suffix = extname(path).toLowerCase();
  const all = Object.entries<FileFormat>(formats) as [Kind, FileFormat][];
  return all.find(([, { suffixes }]) => suffixes.includes(suffix))?.[0];
}
