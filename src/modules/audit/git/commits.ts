/** Writes commits, with `git fast-import`. */
import { git } from './git.ts';
import { BRANCH } from './layout.ts';

export type CommitFiles = {
  readonly message: string;
  /** Who made the changes, and when, ISO 8601; without it, the service now. */
  readonly author?: {
    readonly id: string;
    /** The name that people read, if it is another one. */
    readonly name?: string | undefined;
    readonly time: string;
  };
  readonly files: readonly { readonly path: string; readonly text: string }[];
};

const COMMITTER = 'Accession <accession@localhost>';

/**
 * Puts commits on top of the branch. When it returns, they are on disk, and the branch points to the last one.
 *
 * @param tip where the branch is; undefined if there is none yet
 * @throws ServiceError `audit_failed`, also if another process has moved the branch meanwhile
 */
export async function writeCommits(
  repository: string,
  commits: readonly CommitFiles[],
  tip: string | undefined,
): Promise<void> {
  const args = ['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet', '--done', '--date-format=raw'];
  const input = [...commands(commits, tip)].join('');
  await git(repository, args, { input, background: true });
}

function* commands(commits: readonly CommitFiles[], tip: string | undefined): Generator<string> {
  const time = Math.floor(Date.now() / 1000);
  for (const [i, { message, author, files }] of commits.entries()) {
    const start = `commit ${BRANCH}\n${author ? authorLine(author) : ''}committer ${COMMITTER} ${time} +0000\n${data(message)}`;
    yield i === 0 && tip !== undefined ? `${start}from ${tip}\n` : start;
    for (const { path, text } of files) yield `M 100644 inline ${path}\n${data(text)}`;
    yield '\n';
  }
  yield 'done\n';
}

/** An identifier that is a mail address is one for git, too, and so is that of someone with another name. */
function authorLine({ id, name, time }: NonNullable<CommitFiles['author']>): string {
  const identifier = clean(id);
  const isAddress = name !== undefined || /^[^@ ]+@[^@ ]+$/.test(identifier);
  return `author ${clean(name ?? id)} <${isAddress ? identifier : ''}> ${Math.floor(Date.parse(time) / 1000)} +0000\n`;
}

const clean = (text: string) => text.replaceAll(/[<>\p{C}\s]+/gu, ' ').trim();

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
