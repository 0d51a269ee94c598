/** Writes of an area, committed in groups: one transaction for all that are waiting. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  Actor,
  Change,
  ChangeResult,
  Entry,
  JointPart,
  JointWrite,
  JointWrites,
  LedgerChange,
  LedgerRow,
} from '../store.ts';
import type { DatabaseArea } from './area.ts';
import { commit } from './commit.ts';
import { databaseFailure, isAboutValues } from './failures.ts';
import { withLedgerId } from './ledger.ts';

/** What a write does to one area. */
export type AreaWrite = JointWrite & {
  readonly area: DatabaseArea;
  readonly ledger: readonly LedgerChange[];
  /** Entries of another area to restore, before the changes. */
  readonly restored: readonly Entry[];
};

/** A write that is made entirely or not at all: in one area or, if it is joint, in several. */
export type QueuedWrite = {
  readonly parts: readonly AreaWrite[];
  readonly done: (results: ChangeResult[][]) => void;
  readonly failed: (error: unknown) => void;
};

/** Restored entries keep their actors. */
const RESTORER: Actor = { committer: 'copy', author: 'copy', role: 'service' };

export type Writer = {
  write(changes: readonly Change[], by: Actor, ledger: readonly LedgerChange[]): Promise<ChangeResult[]>;
  restore(entries: readonly Entry[], ledger?: readonly LedgerRow[]): Promise<void>;
  readonly joint: JointWrites;
  /** Waits for all writes so far. */
  settled(): Promise<void>;
};

/** A group ends with the write that brings it to this many changes. */
const GROUP_SIZE = 2000;

export function writerOf(area: DatabaseArea): Writer {
  let queue: QueuedWrite[] = [];
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await nextTurn();
      await make(takeGroup());
    }
    draining = undefined;
  }

  async function make(group: readonly QueuedWrite[]): Promise<void> {
    try {
      for (const { onCommit } of await commit(area.database, group)) onCommit?.();
    } catch (error) {
      // What the server does not take of one write is not for the others to suffer.
      if (group.length > 1 && isAboutValues(error)) for (const write of group) await make([write]);
      else for (const write of group) write.failed(databaseFailure(error, 'Writing'));
    }
  }

  function takeGroup(): QueuedWrite[] {
    let size = 0;
    const end = queue.findIndex(({ parts }) => {
      for (const { changes, ledger, restored } of parts)
        size += changes.length + ledger.length + restored.length;
      return size >= GROUP_SIZE;
    });
    const group = end < 0 ? queue : queue.slice(0, end + 1);
    queue = queue.slice(group.length);
    return group;
  }

  const made = (parts: readonly AreaWrite[]) =>
    new Promise<ChangeResult[][]>((done, failed) => {
      const stored = parts.map((part) => ({ ...part, ledger: part.ledger.map(withLedgerId) }));
      queue.push({ parts: stored, done, failed });
      draining ??= drain();
    });

  return {
    write: async (changes, by, ledger) =>
      (await made([{ area, changes, by, ledger, restored: [] }]))[0] ?? [],
    restore: async (restored, rows = []) => {
      const ledger = rows.map((set) => ({ set }));
      await made([{ area, changes: [], by: RESTORER, ledger, restored }]);
    },
    joint: {
      database: area.database,
      part: (write): JointPart & { readonly area: DatabaseArea } => ({ area, write }),
      write: async (parts) => {
        const writes = parts as readonly (JointPart & { readonly area: DatabaseArea })[];
        const results = await made(
          writes.map(({ area, write }) => ({ ...write, area, ledger: write.ledger ?? [], restored: [] })),
        );
        return results.map((ofPart) => ofPart.map(({ revision }) => revision));
      },
    },
    settled: async () => draining,
  };
}
