/** What a client knows about the records that it writes: every attempt, and what became of it. */
import assert from 'node:assert/strict';

/** `unknown` if the answer was lost: the write may have been made or not. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** One attempt to write a record; null deletes it. */
type Attempt = { readonly name: string | null; readonly outcome: Outcome };

/** An entry of a history: the name in the record after the change, null for a delete. */
type HistoryEntry = string | null;

/** The records of one area. */
export class Model {
  readonly #attempts = new Map<string, Attempt[]>();

  note(pid: string, name: string | null, outcome: Outcome): void {
    this.#attempts.set(pid, [...(this.#attempts.get(pid) ?? []), { name, outcome }]);
  }

  get pids(): string[] {
    return [...this.#attempts.keys()];
  }

  /** The names that a record may have now, null if it may be missing. */
  possible(pid: string): Set<string | null> {
    const possible = new Set<string | null>([null]);
    for (const { name, outcome } of this.#attempts.get(pid) ?? []) {
      if (outcome === 'acknowledged') possible.clear();
      if (outcome !== 'refused') possible.add(name);
    }
    return possible;
  }

  /** Fails unless the history has every acknowledged attempt, in order, and nothing that was not attempted or refused. */
  assertHistory(pid: string, history: readonly HistoryEntry[]): void {
    // How much of the history the attempts so far may have made; lost answers leave several possibilities.
    let made = new Set([0]);
    for (const { name, outcome } of this.#attempts.get(pid) ?? []) {
      const after = [...made].filter((count) => count < history.length && history[count] === name);
      const grown = after.map((count) => count + 1);
      if (outcome === 'acknowledged') made = new Set(grown);
      if (outcome === 'unknown') made = new Set([...made, ...grown]);
    }
    assert.ok(
      made.has(history.length),
      `${pid}: attempts ${JSON.stringify(this.#attempts.get(pid))}, history ${JSON.stringify(history)}`,
    );
  }

  count(outcome: Outcome): number {
    let count = 0;
    for (const attempts of this.#attempts.values())
      count += attempts.filter((attempt) => attempt.outcome === outcome).length;
    return count;
  }
}
