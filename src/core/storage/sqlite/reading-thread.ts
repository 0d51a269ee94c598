/** A thread in which snapshots are read. */
import { parentPort, workerData } from 'node:worker_threads';
import { type SentError, sentError } from '../../errors.ts';
import type { Value } from '../dialect.ts';
import type { Rows } from '../engine.ts';
import { Snapshots } from './snapshots.ts';

/** A statement in the snapshot with a number, which begins with the first one. */
export type SnapshotStatement = {
  readonly snapshot: number;
  readonly isFirst: boolean;
  readonly sql: string;
  readonly values: readonly Value[];
};

/** A statement, the end of a snapshot, or that of all. */
export type ReadingRequest = SnapshotStatement | { readonly ends: number } | { readonly closes: true };

export type ReadingReply = Rows | { readonly failed: SentError } | { readonly done: true };

const snapshots = new Snapshots(workerData as string);
parentPort!.on('message', (request: ReadingRequest) => parentPort!.postMessage(answer(request)));

function answer(request: ReadingRequest): ReadingReply {
  try {
    if ('sql' in request) {
      const { snapshot, isFirst, sql, values } = request;
      if (isFirst) snapshots.begin(snapshot);
      return snapshots.query(snapshot, sql, values);
    }
    if ('ends' in request) snapshots.end(request.ends);
    else snapshots.close();
    return { done: true };
  } catch (error) {
    return { failed: sentError(error) };
  }
}
