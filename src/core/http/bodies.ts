/** Receives the bodies of requests, within limits of size, time and memory. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TIMEOUT } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { MEMORY } from '../memory-bounds.ts';
import { SHARE } from '../work/admission.ts';
import { holdWhileWorking } from './gate.ts';

const MEBIBYTE = 1024 * 1024;

type BodyLimits = {
  /** Bytes of one body. */
  readonly each: number;
  /** Bytes of all bodies that are being received or answered. */
  readonly inFlight: number;
  /** A body may pause this long, in milliseconds … */
  readonly graceMilliseconds: number;
  /** … and has to arrive at this rate otherwise. */
  readonly bytesPerSecond: number;
};

const BODY_LIMITS: BodyLimits = {
  each: 10 * MEBIBYTE,
  inFlight: MEMORY.bodies.bytes,
  graceMilliseconds: 30_000,
  bytesPerSecond: 10 * 1024,
};

/** Reads the bodies of a service, and keeps account of them. */
export class Bodies {
  readonly #limits: BodyLimits;
  #inFlight = 0;
  /** The bytes of each client. */
  readonly #ofClient = new Map<string, number>();

  constructor(limits: Partial<BodyLimits> = {}) {
    this.#limits = { ...BODY_LIMITS, ...limits };
  }

  /** The bytes of the bodies that are being received or answered. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * The whole body; its bytes count as in flight while the request is worked on.
   *
   * @throws ServiceError `body_too_large`, `busy`, `request_timeout`, `body_malformed` for one that ends too early
   */
  async read(
    request: FastifyRequest,
    reply: FastifyReply,
    limit = this.#limits.each,
  ): Promise<Buffer<ArrayBuffer>> {
    const { raw } = request;
    // A compressed body arrives through a separate stream.
    const stream = (request.body as Readable | undefined) ?? raw;
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > limit) {
      await dropped(stream);
      throw closeAfter(reply, tooLarge(limit));
    }
    const { graceMilliseconds, bytesPerSecond } = this.#limits;
    let chunks: Buffer[] = [];
    let size = 0;
    const { client } = request;
    let deadline = performance.now() + graceMilliseconds;
    const release = () => {
      this.#count(client, -size);
      size = 0;
    };
    return new Promise<Buffer<ArrayBuffer>>((resolve, reject) => {
      const end = (error?: Error) => {
        clearInterval(clock);
        stream.off('data', take).off('end', finish).off('close', ended).off('error', end);
        raw.off('close', rawClosed);
        // The rest is read and dropped, so that the client gets to see the response.
        stream.on('error', () => {}).resume();
        const received = chunks;
        // The stream may live longer than the work for its body.
        chunks = [];
        if (error) {
          release();
          return reject(error);
        }
        holdWhileWorking(request, reply, release);
        resolve(Buffer.concat(received, size));
      };
      const take = (chunk: Buffer) => {
        size += chunk.length;
        this.#count(client, chunk.length);
        // Bytes that arrive faster than they have to are not saved up for later.
        deadline = Math.min(
          deadline + (chunk.length / bytesPerSecond) * 1000,
          performance.now() + graceMilliseconds,
        );
        if (size > limit) end(closeAfter(reply, tooLarge(limit)));
        else if (this.#isFull(client)) end(closeAfter(reply, busy()));
        else chunks.push(chunk);
      };
      const finish = () => end();
      const rawClosed = () => raw.readableEnded || ended();
      const ended = () => end(new ServiceError('body_malformed', 'The request ended before its body did.'));
      const clock = setInterval(
        () => {
          if (performance.now() < deadline) return;
          end(closeAfter(reply, new ServiceError('request_timeout', 'The request arrives too slowly.')));
        },
        Math.min(graceMilliseconds, 5_000),
      );
      stream.on('data', take).on('end', finish).on('close', ended).on('error', end);
      raw.on('close', rawClosed);
      stream.resume();
    });
  }

  #count(client: string | undefined, bytes: number): void {
    this.#inFlight += bytes;
    if (client === undefined) return;
    const left = (this.#ofClient.get(client) ?? 0) + bytes;
    if (left > 0) this.#ofClient.set(client, left);
    else this.#ofClient.delete(client);
  }

  /** Whether there is too much of all, or of one client, who may always send one body. */
  #isFull(client: string | undefined): boolean {
    const { inFlight, each } = this.#limits;
    if (this.#inFlight > inFlight) return true;
    return client !== undefined && (this.#ofClient.get(client) ?? 0) > Math.max(each, inFlight * SHARE);
  }
}

/**
 * Reads and drops a body for a moment. A connection that is closed while its client sends is reset, and many clients then do
 * not see the response.
 */
async function dropped(stream: Readable): Promise<void> {
  stream.on('error', () => {}).resume();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, TIMEOUT.droppedBody);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    stream.once('end', end).once('close', end);
  });
}

/** The connection is of no use any more: what the client still sends belongs to the refused body. */
function closeAfter(reply: FastifyReply, error: ServiceError): ServiceError {
  reply.header('connection', 'close');
  return error;
}

function tooLarge(limit: number): ServiceError {
  const shown = limit % 1048576 === 0 ? `${limit / 1048576} MiB` : `${limit / 1024} KiB`;
  return new ServiceError('body_too_large', `The request body is larger than the limit of ${shown}.`);
}

function busy(): ServiceError {
  return new ServiceError('busy', 'The service is receiving too many request bodies. Try again later.');
}
