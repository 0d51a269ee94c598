/**
 * Responses that are being sent. The work for them is done, so they hold no place. What their clients have not read
 * is in memory, and this bounds it: by time for each, and by bytes for all.
 */
import type { ServerResponse } from 'node:http';
import { EVERY } from '../durations.ts';

/** Beyond this many bytes, the response ends that has waited longest for its client, and at least a second. */
const MOST_BYTES = 256 * 1024 * 1024;

type Unread = { readonly bytes: number; since: number; left: string };

/** The responses of one service. */
export class Responses {
  readonly #silence: number;
  readonly #unread = new Map<ServerResponse, Unread>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param silence ends a response of which nothing is read for so many milliseconds */
  constructor(silence: number) {
    this.#silence = silence;
  }

  /** Is called when a response begins. */
  add(raw: ServerResponse, bytes: number): void {
    this.#unread.set(raw, { bytes, since: performance.now(), left: '' });
    this.#bytes += bytes;
    raw.once('close', () => {
      this.#bytes -= bytes;
      this.#unread.delete(raw);
    });
    this.#timer ??= setTimeout(() => this.#look(), EVERY.responses).unref();
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
    let excess = this.#bytes - MOST_BYTES;
    for (const [raw, milliseconds, bytes] of silent.sort((a, b) => b[1] - a[1])) {
      if (milliseconds < this.#silence && excess <= 0) break;
      raw.destroy();
      excess -= bytes;
    }
    this.#timer = this.#unread.size > 0 ? setTimeout(() => this.#look(), EVERY.responses).unref() : undefined;
  }
}

/** What Node still has to send of a response, as a value that changes when the client reads: see the slices of `gate.ts`. */
function leftToSend({ socket }: ServerResponse): string {
  return socket?.writableLength ? `${socket.writableLength} ${socket.bytesWritten}` : '0';
}
