/** The thread that does {@link JOBS}, in the order in which they come. */
import { parentPort } from 'node:worker_threads';
import { JOBS, type Place } from './file-jobs.ts';

export type FileRequest = { readonly job: keyof typeof JOBS; readonly place: Place; readonly input: unknown };
export type FileReply =
  | { readonly result: unknown }
  | { readonly failure: { readonly message: string; readonly code?: string } };

parentPort!.on('message', (requests: readonly FileRequest[]) =>
  parentPort!.postMessage(requests.map(answer)),
);

function answer({ job, place, input }: FileRequest): FileReply {
  try {
    return { result: JOBS[job](place, input as never) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { failure: { message, ...(code !== undefined && { code }) } };
  }
}
