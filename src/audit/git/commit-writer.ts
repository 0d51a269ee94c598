/** Writes commits through one `git fast-import` that is kept open for some time. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { ended, gitFailed, lowerPriority, startGit } from './git.ts';
import { BRANCH } from './layout.ts';

export type CommitFiles = {
  readonly message: string;
  /** Who made the changes, and when, ISO 8601; without it, the service now. */
  readonly author?: { readonly name: string; readonly time: string };
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
   * another process has moved it meanwhile: the caller checks it, since git only warns.
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
    failure.catch(() => {});
    const answers = readAnswers(running.child);
    const { stdin } = running.child;
    try {
      stdin.cork();
      for (const command of commands(commits, from)) stdin.write(command);
      stdin.uncork();
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
function* commands(commits: readonly CommitFiles[], from: string | undefined): Generator<string> {
  const time = Math.floor(Date.now() / 1000);
  for (const [i, { message, author, files }] of commits.entries()) {
    const start = `commit ${BRANCH}\nmark :1\n${author ? authorLine(author) : ''}committer ${COMMITTER} ${time} +0000\n${data(message)}`;
    yield i === 0 && from !== undefined ? `${start}from ${from}\n` : start;
    for (const { path, text } of files) yield `M 100644 inline ${path}\n${data(text)}`;
    yield '\nget-mark :1\n';
  }
  yield `checkpoint\n${END}\n`;
}

/** An identifier that is a mail address is one for git, too. */
function authorLine({ name, time }: NonNullable<CommitFiles['author']>): string {
  const clean = name.replaceAll(/[<>\p{C}\s]+/gu, ' ').trim();
  const email = /^[^@ ]+@[^@ ]+$/.test(clean) ? clean : '';
  return `author ${clean} <${email}> ${Math.floor(Date.parse(time) / 1000)} +0000\n`;
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
