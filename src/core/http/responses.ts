/**
 * Responses that are being sent. The work for them is done, so they hold no place. What their clients have not read
 * is in memory, and this bounds it: by time for each, and by bytes for all.
 */
import type { ServerResponse } from 'node:http';
import { EVERY } from '../durations.ts';
import { MEMORY } from '../memory-bounds.ts';

/** Beyond this many bytes, the response ends that has waited longest for its client, and at least a second. */
const MOST_BYTES = MEMORY.responses.bytes;

type Unread = { bytes: number; since: number; left: string };

export class Responses {
  readonly #silence: number;
  readonly #unread = new Map<ServerResponse, Unread>();
  #bytes = 0;
  /** Streams that wait for room. */
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  /** @param silence ends a response of which nothing is read for so many milliseconds */
  constructor(silence: number) {
    this.#silence = silence;
  }

  /** Is called when a response begins. */
  add(raw: ServerResponse, bytes: number): void {
    const unread = { bytes, since: performance.now(), left: '' };
    this.#unread.set(raw, unread);
    this.#bytes += bytes;
    raw.once('close', () => {
      this.#bytes -= unread.bytes;
      this.#unread.delete(raw);
      this.#wake();
    });
    this.#timer ??= setTimeout(() => this.#look(), EVERY.responses).unref();
  }

  /** Waits until a stream may have so many bytes in memory, because others have been read or have ended. */
  async room(raw: ServerResponse, bytes: number): Promise<void> {
    const unread = this.#unread.get(raw);
    if (!unread || bytes <= unread.bytes) return;
    const added = bytes - unread.bytes;
    const isAlone = () => this.#bytes === unread.bytes;
    while (this.#bytes + added > MOST_BYTES && !isAlone() && !raw.destroyed)
      await new Promise<void>((woken) => this.#waiting.add(woken));
    if (raw.destroyed) return;
    unread.bytes = bytes;
    this.#bytes += added;
  }

  #wake(): void {
    for (const woken of this.#waiting) woken();
    this.#waiting.clear();
  }

  /** Ends responses that their clients do not read. */
  #look(): void {
    const now = performance.now();
    const silent: [raw: ServerResponse, milliseconds: number, bytes: number][] = [];
    for (const [raw, unread] of this.#unread) {
      const left = leftToSend(raw);
      if (left !== unread.left) Object.assign(unread, { left, since: now });
      else if (left !== '0') silent.push([raw, now - unread.since, unread.bytes]);
    }
    let excess = this.#bytes - (this.#waiting.size > 0 ? MOST_BYTES / 2 : MOST_BYTES);
    for (const [raw, milliseconds, bytes] of silent.sort((a, b) => b[1] - a[1])) {
      if (milliseconds < this.#silence && excess <= 0) break;
      raw.destroy();
      excess -= bytes;
    }
    this.#timer = this.#unread.size > 0 ? setTimeout(() => this.#look(), EVERY.responses).unref() : undefined;
  }
}

/** The unsent rest of a response, as a value that changes when the client reads: see the slices of `gate.ts`. */
function leftToSend({ socket }: ServerResponse): string {
  return socket?.writableLength ? `${socket.writableLength} ${socket.bytesWritten}` : '0';
}
