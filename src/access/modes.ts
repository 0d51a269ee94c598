/** The modes of configured tokens, as a table (decisions §2). */
import type { Permissions } from './grant.ts';

/** Letters in the order of {@link Permissions}: read curated, read zone, write zone, curate. */
const table = {
  READ_CURATED: 'r...',
  READ_COLLECTION: 'rr..',
  WRITE_COLLECTION: 'rrw.',
  READ_SUBMISSIONS: '.r..',
  WRITE_SUBMISSIONS: '.rw.',
  /** The specification's name for the same (5, item 2). */
  WRITE_INCOMING: '.rw.',
  SUBMIT: 'r.w.',
  SUBMIT_ONLY: '..w.',
  NOTHING: '....',
  CURATOR: 'rrwc',
} as const;

export type TokenMode = keyof typeof table;

export const tokenModes = Object.keys(table) as readonly TokenMode[];

/** What a mode grants. */
export const permissionsOfMode: Readonly<Record<TokenMode, Permissions>> = Object.fromEntries(
  tokenModes.map((mode) => [mode, permissionsOf(table[mode])]),
) as Record<TokenMode, Permissions>;

/** Whether tokens of a mode need an incoming zone, that is a label and a collection with `incoming`. */
export function modeNeedsZone(mode: TokenMode): boolean {
  return permissionsOfMode[mode].writeZone;
}

function permissionsOf(letters: string): Permissions {
  const [readCurated, readZone, writeZone, curate] = [...letters].map((letter) => letter !== '.');
  return Object.freeze({
    readCurated: readCurated === true,
    readZone: readZone === true,
    writeZone: writeZone === true,
    curate: curate === true,
  });
}
