/**
 * Reads the records of an area from its directory without opening its store: for commands that inspect a store while a
 * service may run on it. Nothing is written, and no index is needed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { recordFiles } from './record-dir/record-files.ts';
import { SQLITE_FILE } from './sqlite.ts';

/** Where a record is stored, with its text: YAML of a record directory, JSON of a database. */
export type StoredText = {
  /** The path of the file. */
  readonly file: string;
  readonly kind: 'yaml' | 'json';
  readonly text: string;
  /** The class by folder or column. */
  readonly className: string;
};

/** Every record of an area, whatever its backend is, in no particular order. */
export function* readArea(directory: string): Generator<StoredText> {
  const database = join(directory, SQLITE_FILE);
  if (existsSync(database)) yield* readDatabase(database);
  else yield* readFiles(directory);
}

function* readFiles(directory: string): Generator<StoredText> {
  for (const path of recordFiles(directory)) {
    const file = join(directory, path);
    const className = path.slice(0, Math.max(0, path.indexOf('/')));
    yield { file, kind: 'yaml', className, text: readFileSync(file, 'utf8') };
  }
}

function* readDatabase(file: string): Generator<StoredText> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT class_name, object FROM thing ORDER BY sort_key');
    for (const row of rows.iterate()) {
      const { class_name: className, object: text } = row as { class_name: string; object: string };
      yield { file, kind: 'json', className, text };
    }
  } finally {
    database.close();
  }
}
