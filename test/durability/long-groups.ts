/** Groups of records that are always written together, with one serial: what the killed process and its test share. */
import type { Change, LedgerChange } from '../../src/storage/store.ts';

/** `many` has more changes than a short write, `long` more characters; `short` is written between them. */
export const GROUPS = ['many', 'long', 'short'] as const;

const SIZES: Readonly<Record<string, { records: number; padding: number }>> = {
  many: { records: 501, padding: 10 },
  long: { records: 2, padding: 200_000 },
  short: { records: 1, padding: 10 },
};

/** The names of the records of a group. */
export function namesOf(group: string): string[] {
  return Array.from({ length: SIZES[group]?.records ?? 0 }, (_, n) => `${group}-${n}`);
}

export const iriOf = (name: string) => `https://example.org/${name}`;

/** The write of a serial: every record of the group gets it. */
export function changesOf(group: string, serial: number): Change[] {
  const padding = 'é '.repeat(SIZES[group]?.padding ?? 0);
  return namesOf(group).map((name) => {
    const json = `{"padding":"${padding}","pid":"ex:${name}","schema_type":"ex:Person","serial":${serial}}`;
    return { put: { pid: `ex:${name}`, iri: iriOf(name), className: 'Person', json } };
  });
}

/** Written with each write of the group. */
export function ledgerOf(group: string, serial: number): LedgerChange {
  return { set: { kind: 'group', id: group, keys: [], json: JSON.stringify(serial) } };
}
