/** What the processes of the crash test have in common. */
import type { MirroredOptions } from '../../src/peer/mirror-subject.ts';
import { record } from '../../src/storage/contract/subject.ts';
import type { Change } from '../../src/storage/store.ts';

/** How the area of a test looks outside of the database: not at all, or as files. */
export type World = { readonly name: string; readonly files?: MirroredOptions };

export const WORLDS: readonly World[] = [
  { name: 'sqlite' },
  { name: 'record_dir+stl', files: { mapping: 'digest-md5-p3' } },
  { name: 'record_dir', files: { mapping: 'after-last-colon', typed: true } },
];

export const WRITERS = 6;
/** How many names each writer writes to: few, so that records are replaced, moved and deleted all the time. */
export const NAMES = 5;
/** Records that are written together under a name. */
const PAIR = 2;
const MANY = 150;

/** The pids of a name, whose records must never be seen apart. The first name of each writer has many. */
export function pidsOf(name: string): string[] {
  return Array.from({ length: name.endsWith('n0') ? MANY : PAIR }, (_, n) => `ex:${name}-${n}`);
}

/** The changes that set a name to a value, or delete it. */
export function changesOf(name: string, value: string | undefined, className: string): Change[] {
  return pidsOf(name).map((pid): Change => {
    const put = record(pid, className, { note: `${value} ${'padding '.repeat(40)}`, value: value ?? '' });
    return value === undefined ? { delete: put.iri } : { put };
  });
}
