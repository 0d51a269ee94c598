/**
 * Tables of the peer that were imported. The service does not use them any more, so what the peer writes to one afterwards is in no
 * record: it is noticed by the state of the file, and reported.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Database, Draft } from '../../../core/storage/database.ts';
import { readMeta, setMeta } from '../../../core/storage/meta.ts';
import type { Reader } from '../../../core/storage/reader.ts';
import { stampOf } from '../mirror/disk.ts';
import { hasRows, tableFile } from './sources.ts';

/** A table with its log, as far as that is not in it yet. The time is in microseconds. */
type TableState = { readonly size: number; readonly modified: number; readonly digest: string };

const keyOf = (area: number) => `imported table ${area}`;
const partsOf = (file: string) => [file, `${file}-wal`];

/** The state of the table in the directory of an area; undefined if there is none. Reads all of it. */
export async function tableState(directory: string): Promise<TableState | undefined> {
  const file = tableFile(directory);
  const stamp = file === undefined ? undefined : stampOfTable(file);
  return stamp && { ...stamp, digest: await digestOfTable(file!) };
}

/** Notes the state in which a table was imported. */
export function noteImported(draft: Pick<Draft, 'run'>, area: number, state: TableState): void {
  setMeta(draft, keyOf(area), JSON.stringify(state));
}

/** A table that may have records which its area lacks, and what to do about it. */
type ChangedTable = { readonly file: string; readonly message: string; readonly remedy: string };

/**
 * Finds a table in the directory of an area that has records which the area may lack, or that cannot be read; undefined if there is none.
 * Reads the file only if its size or time is another one than at the import.
 */
export async function changedTable(
  database: Pick<Database, 'existingArea'> & Pick<Reader, 'tuples'>,
  { path, directory }: { readonly path: string; readonly directory: string },
): Promise<ChangedTable | undefined> {
  const file = tableFile(directory);
  if (file === undefined) return undefined;
  const known = await database.existingArea(path);
  const noted = known && (await readMeta(database, keyOf(known.area.id)));
  // A store that an earlier release has imported.
  if (known && noted === undefined) return undefined;
  try {
    if (noted !== undefined)
      return (await hasChanged(file, JSON.parse(noted) as TableState))
        ? {
            file,
            message: 'It has changed since it was imported, and the records have not.',
            remedy: COMPARE,
          }
        : undefined;
    return hasRows(file) ? { file, message: 'Its records were never imported.', remedy: COMPARE } : undefined;
  } catch (error) {
    // Others are looked at nevertheless. The message of SQLite or of the system says why.
    return { file, message: `It cannot be read: ${(error as Error).message}.`, remedy: READABLE };
  }
}

async function hasChanged(file: string, imported: TableState): Promise<boolean> {
  const stamp = stampOfTable(file);
  if (!stamp || (stamp.size === imported.size && stamp.modified === imported.modified)) return false;
  return (await digestOfTable(file)) !== imported.digest;
}

const READABLE =
  'Make it readable to see whether it has records that are not imported, or remove it: it is not used.';
const COMPARE =
  'Serve a copy of the directory without accession.db, compare both stores with `accession diff`, store what is missing, and remove the file: it is not used.';

function stampOfTable(file: string): Pick<TableState, 'size' | 'modified'> | undefined {
  const stamps = partsOf(file).flatMap((part) => stampOf(part) ?? []);
  const [first] = stamps;
  return (
    first && {
      size: stamps.reduce((sum, { size }) => sum + size, 0),
      modified: Math.max(...stamps.map(({ modified }) => modified)),
    }
  );
}

async function digestOfTable(file: string): Promise<string> {
  const digest = createHash('sha256');
  for (const part of partsOf(file)) {
    if (!stampOf(part)?.size) continue;
    for await (const chunk of createReadStream(part)) digest.update(chunk as Buffer);
  }
  return digest.digest('base64');
}
