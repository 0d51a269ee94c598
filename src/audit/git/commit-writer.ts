/** Writes commits through one `git fast-import` that is kept open for some time. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { ended, gitFailed, lowerPriority, startGit } from './git.ts';
import { BRANCH } from './layout.ts';

/** The files of one commit. */
export type CommitFiles = {
  readonly message: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
};

/** A process is ended after this many writes: it remembers all that it wrote. */
const WRITES = 100;
/** A process that is not used is ended after this many milliseconds. */
const IDLE = 10_000;

/** Comes back when everything before it is done. */
const END = 'progress written';
const COMMITTER = 'Accession <accession@localhost>';

type Running = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly end: Promise<string | undefined>;
  /** The last commit it knows; it adds to that one. */
  tip: string | undefined;
  writes: number;
};

export class CommitWriter {
  readonly #repository: string;
  #running: Running | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(repository: string) {
    this.#repository = repository;
  }

  /**
   * Puts commits on top of the branch. When it returns, they are on disk, and the branch points to the last one, unless
   * somebody else has moved it meanwhile: the caller looks at it, since git only warns.
   *
   * @param tip where the branch is; undefined if there is none yet
   * @returns the names of the commits
   * @throws ServiceError `audit_failed`; the branch may have been moved all the same
   */
  async write(commits: readonly CommitFiles[], tip: string | undefined): Promise<string[]> {
    clearTimeout(this.#idle);
    if (this.#running && (this.#running.tip !== tip || this.#running.writes >= WRITES)) await this.close();
    const from = this.#running ? undefined : tip;
    this.#running ??= this.#start();
    const running = this.#running;
    const failure = running.end.then((words) => {
      throw gitFailed('fast-import', words ?? 'it ended');
    });
    const answers = readAnswers(running.child);
    running.child.stdin.write(stream(commits, from));
    try {
      const names = await Promise.race([answers, failure]);
      running.tip = names.at(-1);
      running.writes++;
      this.#idle = setTimeout(() => void this.close(), IDLE).unref();
      return names;
    } catch (error) {
      this.#running = undefined;
      running.child.kill();
      throw error;
    }
  }

  /** Ends the process; all that was written stays. @returns what git has complained about, in its words */
  async close(): Promise<string | undefined> {
    clearTimeout(this.#idle);
    const running = this.#running;
    this.#running = undefined;
    running?.child.stdin.end('done\n');
    return running?.end;
  }

  #start(): Running {
    const child = startGit(this.#repository, [
      '-c',
      'fastimport.unpackLimit=1',
      'fast-import',
      '--quiet',
      '--done',
      '--date-format=raw',
    ]);
    lowerPriority(child);
    return { child, end: ended(child), tip: undefined, writes: 0 };
  }
}

/** The commands for commits, for their names, and for having it all on disk. */
function stream(commits: readonly CommitFiles[], from: string | undefined): Buffer {
  const pieces: string[] = [];
  const time = Math.floor(Date.now() / 1000);
  commits.forEach(({ message, files }, i) => {
    pieces.push(`commit ${BRANCH}\nmark :1\ncommitter ${COMMITTER} ${time} +0000\n${data(message)}`);
    if (i === 0 && from !== undefined) pieces.push(`from ${from}\n`);
    for (const { path, text } of files) pieces.push(`M 100644 inline ${path}\n${data(text)}`);
    pieces.push('\nget-mark :1\n');
  });
  pieces.push(`checkpoint\n${END}\n`);
  return Buffer.from(pieces.join(''));
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

/** The lines that git answers, up to the end mark. */
function readAnswers({ stdout }: ChildProcessWithoutNullStreams): Promise<string[]> {
  return new Promise((resolve) => {
    let text = '';
    const take = (chunk: Buffer) => {
      text += chunk;
      if (!text.endsWith(`${END}\n`)) return;
      stdout.off('data', take);
      resolve(text.split('\n').slice(0, -2));
    };
    stdout.on('data', take);
  });
}
