/** The modes of configured tokens, as a table (docs/configuration.md, "Modes"). */
import type { Permissions } from './grant.ts';

/** `r` reads the curated area, `z` reads the own zone, `w` writes it, `c` curates; in the order of {@link Permissions}. */
const table = {
  READ_CURATED: 'r...',
  READ_COLLECTION: 'rz..',
  WRITE_COLLECTION: 'rzw.',
  READ_SUBMISSIONS: '.z..',
  WRITE_SUBMISSIONS: '.zw.',
  /** The specification's name for the same (5, item 2). */
  WRITE_INCOMING: '.zw.',
  SUBMIT: 'r.w.',
  SUBMIT_ONLY: '..w.',
  NOTHING: '....',
  CURATOR: 'rzwc',
} as const;

export type TokenMode = keyof typeof table;

/** All modes, for checks of the configuration. */
export const tokenModes = Object.keys(table) as readonly TokenMode[];

export const permissionsOfMode: Readonly<Record<TokenMode, Permissions>> = Object.fromEntries(
  tokenModes.map((mode) => [mode, permissionsOf(table[mode])]),
) as Record<TokenMode, Permissions>;

/** Whether tokens of a mode need an incoming zone, that is a label and a collection with `incoming`. */
export function modeNeedsZone(mode: TokenMode): boolean {
  return permissionsOfMode[mode].writeZone;
}

/** Whether tokens of a mode may do more than read curated records: read or write submissions, or curate. */
export function modePermitsMoreThanReading(mode: TokenMode): boolean {
  const { readZone, writeZone, curate } = permissionsOfMode[mode];
  return readZone || writeZone || curate;
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
