/** Reads objects of a repository through one `git cat-file --batch` that is kept open. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { ended, gitFailed, startGit } from './git.ts';

type GitObject = { readonly name: string; readonly content: Buffer };

type Waiting = {
  readonly resolve: (object: GitObject | undefined) => void;
  readonly reject: (error: unknown) => void;
};

/** An unused process is ended after this many milliseconds. */
const IDLE = 60_000;
/** Unused processes that are kept: a service may have a log for each of a thousand collections, and opens all of them at its start. */
const MOST_KEPT = 8;

/** The readers with a process, in the order of their last use. */
const kept = new Set<ObjectReader>();

export class ObjectReader {
  readonly #repository: string;
  #child: ChildProcessWithoutNullStreams | undefined;
  #waiting: Waiting[] = [];
  #chunks: Buffer[] = [];
  #buffered = 0;
  /** How many bytes are needed until the next object can be cut from the stream. */
  #needed = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(repository: string) {
    this.#repository = repository;
  }

  /**
   * An object by its name, or by an expression like `refs/heads/master`; undefined if there is none.
   *
   * @throws ServiceError `audit_failed`
   */
  read(name: string): Promise<GitObject | undefined> {
    const child = this.#start();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      child.stdin.write(`${name}\n`);
    });
  }

  /** The text of an object that must be there. @throws ServiceError `audit_failed` */
  async text(name: string): Promise<string> {
    const object = await this.read(name);
    if (!object) throw gitFailed('cat-file', `object ${name} is missing in ${this.#repository}`);
    return object.content.toString();
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#child?.stdin.end();
    this.#forget();
  }

  #forget(): void {
    this.#child = undefined;
    kept.delete(this);
  }

  get #isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  #start(): ChildProcessWithoutNullStreams {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#isIdle && this.close(), IDLE).unref();
    kept.delete(this);
    if (kept.size >= MOST_KEPT)
      kept
        .values()
        .find((reader) => reader.#isIdle)
        ?.close();
    kept.add(this);
    if (this.#child) return this.#child;
    const child = startGit(this.#repository, ['cat-file', '--batch']);
    this.#child = child;
    this.#chunks = [];
    this.#buffered = 0;
    this.#needed = 0;
    child.stdout.on('data', (chunk: Buffer) => this.#child === child && this.#take(chunk));
    void ended(child).then((failure) => {
      if (this.#child !== child) return;
      this.#forget();
      const error = gitFailed('cat-file', failure ?? 'it ended');
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
    return child;
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < this.#needed) return;
    let buffer = Buffer.concat(this.#chunks);
    let answer = cutAnswer(buffer);
    while (typeof answer === 'object') {
      this.#waiting.shift()?.resolve(answer.object);
      buffer = buffer.subarray(answer.length);
      answer = cutAnswer(buffer);
    }
    this.#needed = answer;
    this.#chunks = [buffer];
    this.#buffered = buffer.length;
  }
}

/** The first answer in a buffer, or how many bytes the buffer must have for it at least. */
function cutAnswer(buffer: Buffer): { object: GitObject | undefined; length: number } | number {
  const end = buffer.indexOf(10);
  if (end < 0) return buffer.length + 1;
  const [name = '', , size] = buffer.toString('utf8', 0, end).split(' ');
  if (size === undefined) return { object: undefined, length: end + 1 };
  const start = end + 1;
  const length = start + Number(size) + 1;
  if (buffer.length < length) return length;
  return { object: { name, content: Buffer.from(buffer.subarray(start, length - 1)) }, length };
}
