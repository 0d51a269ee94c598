/** How far an import or a site came, noted in a file beside it, so that it continues when it is run again. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { replaceFile } from '../new-file.ts';

export type Notes<Position> = {
  /** The last position of the same work; undefined for new work. */
  readonly read: () => Position | undefined;
  /** A crash leaves the former note or this one. */
  readonly write: (position: Position) => void;
  readonly remove: () => void;
};

/**
 * @param file without one, nothing is noted
 * @param what describes the work: only the same one continues
 */
export function openNotes<Position extends object>(file: string | undefined, what: string): Notes<Position> {
  if (file === undefined) return { read: () => undefined, write: () => {}, remove: () => {} };
  return {
    read() {
      if (!existsSync(file)) return undefined;
      const noted = JSON.parse(readFileSync(file, 'utf8')) as Position & { readonly what: string };
      return noted.what === what ? noted : undefined;
    },
    write(position) {
      replaceFile(file, JSON.stringify({ ...position, what }));
    },
    remove: () => rmSync(file, { force: true }),
  };
}
