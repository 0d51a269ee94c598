/**
 * Places that a client may hold for as long as it likes, such as connections. One client gets at most a share of them, and a few are
 * kept for clients that hold none: so those that hold all they can keep no other client out.
 */
import { SHARE } from '../work/admission.ts';

/** The part of the places that is kept for clients that hold none. */
const KEPT = 1 / 16;

export class Shares {
  readonly #most: number;
  readonly #kept: number;
  #held = 0;
  readonly #ofClient = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
    this.#kept = Math.ceil(most * KEPT);
  }

  /**
   * Takes a place if the client may have another one.
   *
   * @param share the part of all places that the client may hold
   * @returns whether it has one now, which is to be given back once with {@link leave}
   */
  take(client: string, share = SHARE): boolean {
    const held = this.#ofClient.get(client) ?? 0;
    const most = held === 0 ? this.#most : this.#most - this.#kept;
    if (this.#held >= most || held >= Math.ceil(this.#most * share)) return false;
    this.#held++;
    this.#ofClient.set(client, held + 1);
    return true;
  }

  leave(client: string): void {
    this.#held--;
    const left = (this.#ofClient.get(client) ?? 0) - 1;
    if (left > 0) this.#ofClient.set(client, left);
    else this.#ofClient.delete(client);
  }
}
