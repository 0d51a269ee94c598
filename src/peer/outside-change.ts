/** Changes that people and git have made to the files of an area. */
import type { Change } from '../storage/store.ts';
import type { FileStamp } from './disk.ts';

/** Goes with a change as its context, so that the mirror of the area knows it again when it is written. */
export class OutsideChange {
  readonly path: string;
  readonly stamp: FileStamp | undefined;
  readonly digest: string;

  constructor(path: string, stamp?: FileStamp, digest = '') {
    this.path = path;
    this.stamp = stamp;
    this.digest = digest;
  }
}

/** The change of a file that a change adopts, if it is one. */
export function outsideOf({ context }: Change): OutsideChange | undefined {
  return context instanceof OutsideChange ? context : undefined;
}
