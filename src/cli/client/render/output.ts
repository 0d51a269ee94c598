/**
 * The folder with the pages. It belongs to the command: files of former runs that are not written again are removed. A file beside
 * it notes which state the pages show.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../new-file.ts';
import { UsageError } from '../../outcome.ts';
import { openNotes } from '../notes.ts';
import { filesBelow, folded, requirePagePath } from './paths.ts';

/** What a page is made from: a template, and the record that it is about. */
type Made = { readonly template: string; readonly pid?: unknown };

type State = {
  /** Where the changes begin that the pages do not show. Without one, a run was interrupted. */
  readonly cursor?: string;
};

export class Output {
  /** Pages that were written because they changed, removed, and all. */
  readonly count = { changed: 0, removed: 0, all: 0 };
  readonly #folder: string;
  readonly #notes;
  readonly #pages = new Map<string, Made>();
  /** Paths by what they have in common with others. */
  readonly #taken = new Map<string, string>();
  readonly #former: ReadonlySet<string>;

  /**
   * @param what describes the site and the collection: pages of others are made again
   * @throws UsageError if the folder has files of others
   */
  constructor(folder: string, what: string) {
    this.#folder = folder.replace(/\/+$/, '');
    const file = `${this.#folder}.render-state`;
    this.#notes = openNotes<State>(file, what);
    const isOwn = existsSync(file);
    const files = existsSync(folder) ? filesBelow(folder) : [];
    if (!isOwn && files.length > 0)
      throw new UsageError(
        `${folder} has files, and none that this command has noted in ${file}: use a new folder.`,
      );
    this.#former = new Set(files);
  }

  /** Whether the folder has the pages of a state already. */
  shows(cursor: string): boolean {
    return this.#notes.read()?.cursor === cursor;
  }

  /** Notes that the folder changes from now on. A crash before {@link end} leads to making all pages again. */
  begin(): void {
    makeDirectory(this.#folder);
    this.#notes.write({});
  }

  /** Writes a page, or a file that is copied. @throws UsageError if the path is not safe, or taken */
  write(path: string, content: string | Buffer, made: Made): void {
    requirePagePath(made.template, path);
    const other = this.#taken.get(folded(path));
    if (other !== undefined) {
      const of = ({ template, pid }: Made) => (pid === undefined ? template : `${template} for ${pid}`);
      const names =
        other === path ? `'${path}'` : `'${other}' and '${path}', which are one file on some systems,`;
      throw new UsageError(
        `Two pages have the path ${names}: ${of(this.#pages.get(other)!)} and ${of(made)}.`,
      );
    }
    this.#taken.set(folded(path), path);
    this.#pages.set(path, made);
    this.count.all += 1;
    const file = join(this.#folder, path);
    const bytes = Buffer.from(content as string);
    if (this.#former.has(path) && readFileSync(file).equals(bytes)) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    this.count.changed += 1;
  }

  /** Removes files of former runs that were not written again, and notes which state the pages show. */
  end(cursor: string): void {
    for (const path of this.#former) {
      if (this.#pages.has(path)) continue;
      rmSync(join(this.#folder, path));
      removeEmpty(this.#folder, dirname(path));
      this.count.removed += 1;
    }
    this.#notes.write({ cursor });
  }
}

function removeEmpty(folder: string, path: string): void {
  if (path === '.' || readdirSync(join(folder, path)).length > 0) return;
  rmdirSync(join(folder, path));
  removeEmpty(folder, dirname(path));
}
