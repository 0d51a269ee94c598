/** How long a request is worked on: until its handler ends, also if the client has gone before. */
import type { FastifyRequest } from 'fastify';

const answering = new WeakMap<FastifyRequest, Promise<unknown>>();

/** Notes what the handler of a request returns. */
export function noteAnswering<T>(request: FastifyRequest, answer: Promise<T>): Promise<T> {
  answering.set(request, answer);
  return answer;
}

/** Releases what a request holds when its handler has ended; at once if none has begun. To be called when the response closes. */
export function whenAnswered(request: FastifyRequest, release: () => void): void {
  const answer = answering.get(request);
  if (answer) answer.then(release, release);
  else release();
}
