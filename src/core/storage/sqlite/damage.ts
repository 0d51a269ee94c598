/**
 * Damage of a database file that is in use: statements report it, or the file is no longer the one that was opened. What a
 * connection has in memory hides both for a while, so the file is looked at, too.
 */
import { type Stats, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { EVERY } from '../../durations.ts';
import { ServiceError } from '../../errors.ts';
import { GENERATION } from '../layout.ts';

export const DAMAGED = 'the database is damaged and must be restored from a backup (docs/how-to/back-up.md)';
const REPLACED =
  'the file of the database was removed or replaced while the service runs: stop the service, put the file of the ' +
  'store in place or restore a backup, and start it again';

/** Result codes of SQLite: `CORRUPT` and `NOTADB`. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);

/** Whether SQLite reports that a file is damaged, or not a database. */
export function isDamage(error: unknown): boolean {
  return DAMAGE.has(((error as { errcode?: number } | null)?.errcode ?? 0) & 0xff);
}

/** Watches the file of a database that was opened. */
export class FileWatch {
  readonly #file: string;
  readonly #opened: Stats;
  readonly #generation: string;
  /** Damage stays: what is read after it may be wrong. */
  #isDamaged = false;
  #last = { at: Number.NEGATIVE_INFINITY, problem: undefined as string | undefined };

  constructor(file: string) {
    this.#file = file;
    this.#opened = statSync(file);
    this.#generation = generationIn(file, 10_000);
  }

  /** Notes the failure of a statement. */
  note(error: unknown): void {
    if (isDamage(error)) this.#isDamaged = true;
  }

  /** Why nothing may be written; undefined if nothing is known. Looks at the file once in an interval. */
  problem(): string | undefined {
    const now = performance.now();
    if (!this.#isDamaged && now - this.#last.at >= EVERY.damage)
      this.#last = { at: now, problem: this.#look() };
    return this.#isDamaged ? DAMAGED : this.#last.problem;
  }

  /** @throws ServiceError `storage_damaged` */
  requireWhole(): void {
    const problem = this.problem();
    if (problem !== undefined) throw storageDamaged('Writing', problem);
  }

  #look(): string | undefined {
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (now?.ino !== this.#opened.ino || now.dev !== this.#opened.dev) return REPLACED;
    try {
      // A new connection has nothing in memory: it reads the first pages and the schema from the file.
      return generationIn(this.#file) === this.#generation ? undefined : REPLACED;
    } catch (error) {
      // Another failure, such as too many open files, is not one of the file.
      if (isDamage(error)) this.#isDamaged = true;
      return undefined;
    }
  }
}

function generationIn(file: string, timeout = 0): string {
  const database = new DatabaseSync(file, { timeout, readOnly: true });
  try {
    const row = database.prepare('SELECT value FROM accession_meta WHERE key = ?').get(GENERATION);
    return String((row as { value?: string } | undefined)?.value ?? '');
  } finally {
    database.close();
  }
}

/** Refuses a statement. @param problem why */
export function storageDamaged(doing: string, problem: string, cause?: unknown): ServiceError {
  return new ServiceError('storage_damaged', `${doing} failed, and nothing was changed: ${problem}.`, [], {
    cause,
  });
}

/** Databases of at most this size are examined as a whole at each start. `accession check` examines all. */
const EXAMINED_BYTES = 64 * 1024 * 1024;

/** Examines the pages of a database before it is used. @throws ServiceError `storage_failed` */
export function requireSound(file: string): void {
  const { size } = statSync(file);
  if (size > EXAMINED_BYTES) return;
  const database = new DatabaseSync(file, { timeout: 10_000, readOnly: true });
  try {
    const [row] = database.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
    if (row?.quick_check === 'ok') return;
    const found = new Error(row?.quick_check);
    throw new ServiceError(
      'storage_failed',
      `Opening the database ${file} failed, and nothing was changed: ${DAMAGED}.`,
      [],
      { cause: found },
    );
  } finally {
    database.close();
  }
}
