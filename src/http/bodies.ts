/** Receives the bodies of requests, within limits of size, time and memory. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';

const MEBIBYTE = 1024 * 1024;

/** What bodies may take. */
export type BodyLimits = {
  /** Bytes of one body. */
  readonly each: number;
  /** Bytes of all bodies that are being received or answered. */
  readonly inFlight: number;
  /** A body may take this long, in milliseconds, however slowly it arrives … */
  readonly graceMilliseconds: number;
  /** … and from then on it has to arrive at this rate, on average. */
  readonly bytesPerSecond: number;
};

const BODY_LIMITS: BodyLimits = {
  each: 10 * MEBIBYTE,
  inFlight: 128 * MEBIBYTE,
  graceMilliseconds: 30_000,
  bytesPerSecond: 10 * 1024,
};

/** Reads the bodies of a service, and keeps account of them. */
export class Bodies {
  readonly #limits: BodyLimits;
  #inFlight = 0;

  constructor(limits: Partial<BodyLimits> = {}) {
    this.#limits = { ...BODY_LIMITS, ...limits };
  }

  /** The bytes of the bodies that are being received or answered. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * The whole body; its bytes count as in flight until the response is sent.
   *
   * @throws ServiceError `body_too_large`, `busy`, `request_timeout`, `body_malformed` for one that ends too early
   */
  read(request: FastifyRequest, reply: FastifyReply, limit = this.#limits.each): Promise<Buffer> {
    const { raw } = request;
    // A compressed body arrives through a stream of its own.
    const stream = (request.body as Readable | undefined) ?? raw;
    if (Number(request.headers['content-length'] ?? 0) > limit) throw refused(reply, tooLarge(limit));
    const { graceMilliseconds, bytesPerSecond } = this.#limits;
    const chunks: Buffer[] = [];
    let size = 0;
    const began = performance.now();
    const release = () => {
      this.#inFlight -= size;
      size = 0;
    };
    return new Promise<Buffer>((resolve, reject) => {
      const end = (error?: Error) => {
        clearInterval(clock);
        stream.off('data', take).off('end', finish).off('close', ended).off('error', end);
        raw.off('close', rawClosed);
        // The rest is read and dropped, so that the client gets to see the response.
        stream.on('error', () => {}).resume();
        if (error) {
          release();
          return reject(error);
        }
        if (reply.raw.destroyed) release();
        else reply.raw.once('close', release);
        resolve(Buffer.concat(chunks));
      };
      const take = (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        this.#inFlight += chunk.length;
        if (size > limit) end(refused(reply, tooLarge(limit)));
        else if (this.#inFlight > this.#limits.inFlight) end(refused(reply, busy()));
      };
      const finish = () => end();
      const rawClosed = () => raw.readableEnded || ended();
      const ended = () => end(new ServiceError('body_malformed', 'The request ended before its body did.'));
      const clock = setInterval(
        () => {
          const elapsed = performance.now() - began;
          if (elapsed < graceMilliseconds || size >= (elapsed / 1000) * bytesPerSecond) return;
          end(refused(reply, tooSlow()));
        },
        Math.min(graceMilliseconds, 5_000),
      );
      stream.on('data', take).on('end', finish).on('close', ended).on('error', end);
      raw.on('close', rawClosed);
      stream.resume();
    });
  }
}

/** The connection is of no use any more: what the client still sends belongs to the refused body. */
function refused(reply: FastifyReply, error: ServiceError): ServiceError {
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

export function tooSlow(): ServiceError {
  return new ServiceError('request_timeout', 'The request arrives too slowly.');
}
