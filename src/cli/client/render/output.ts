/**
 * The folder with the pages. It belongs to the command: files of former runs that are not written again are removed. A file beside
 * it has the state that the pages show, and what each was made from.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../new-file.ts';
import { UsageError } from '../../outcome.ts';
import { openNotes } from '../notes.ts';
import { filesBelow, foldPath, requirePagePath } from './paths.ts';

type PageSource = {
  readonly template: string;
  /** Of the page of one record: its pid and IRI. */
  readonly pid?: string;
  readonly iri?: string;
  /** The IRIs of everything that is named in it: it may change with these. */
  readonly needs: readonly string[];
};

type State = {
  /** The state that the pages show. Without one, a run was interrupted: all pages are made again. */
  readonly cursor?: string;
  readonly pages: Readonly<Record<string, PageSource>>;
};

export class Output {
  readonly written = { changed: 0, removed: 0 };
  /** Where the changes begin that the pages do not show; undefined if all pages are to be made. */
  readonly cursor: string | undefined;
  readonly #folder: string;
  readonly #notes;
  readonly #pages: Map<string, PageSource>;
  /** Paths by what they have in common with others. */
  readonly #taken: Map<string, string>;
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
    const state = this.#notes.read();
    this.cursor = state?.cursor;
    this.#former = new Set(files);
    this.#pages = new Map(Object.entries(state?.pages ?? {}));
    this.#taken = new Map([...this.#pages.keys()].map((path) => [foldPath(path), path]));
  }

  get pages(): ReadonlyMap<string, PageSource> {
    return this.#pages;
  }

  /** Notes that the folder changes from now on. A crash before {@link end} leads to making all pages again. */
  begin(): void {
    makeDirectory(this.#folder);
    this.#notes.write({ pages: {} });
  }

  /** Leaves out all pages. */
  clear(): void {
    this.#pages.clear();
    this.#taken.clear();
  }

  /** Leaves out a page that may be written again. */
  forget(path: string): void {
    this.#pages.delete(path);
    this.#taken.delete(foldPath(path));
  }

  /** Writes a page, or a file that is copied. @throws UsageError if the path is not safe, or taken */
  write(path: string, content: string | Buffer, made: PageSource): void {
    requirePagePath(made.template, path);
    const other = this.#taken.get(foldPath(path));
    if (other !== undefined) {
      const of = ({ template, pid }: PageSource) => (pid === undefined ? template : `${template} for ${pid}`);
      const names =
        other === path ? `'${path}'` : `'${other}' and '${path}', which are one file on some systems,`;
      throw new UsageError(
        `Two pages have the path ${names}: ${of(this.#pages.get(other)!)} and ${of(made)}.`,
      );
    }
    this.#taken.set(foldPath(path), path);
    this.#pages.set(path, made);
    const file = join(this.#folder, path);
    const bytes = Buffer.from(content as string);
    if (this.#former.has(path) && readFileSync(file).equals(bytes)) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    this.written.changed += 1;
  }

  /** Removes files of former runs that were not written again, and notes which state the pages show. */
  end(cursor: string): void {
    for (const path of this.#former) {
      if (this.#pages.has(path)) continue;
      rmSync(join(this.#folder, path));
      removeEmpty(this.#folder, dirname(path));
      this.written.removed += 1;
    }
    this.#notes.write({ cursor, pages: Object.fromEntries(this.#pages) });
  }
}

function removeEmpty(folder: string, path: string): void {
  if (path === '.' || readdirSync(join(folder, path)).length > 0) return;
  rmdirSync(join(folder, path));
  removeEmpty(folder, dirname(path));
}
