/** Pages of the documentation as programs: their commands are run as they are written. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

export const ROOT = resolve(import.meta.dirname, '../..');

/** Printed before each block. */
const MARK = '=====block=====';

/** The blocks of a page in a language, by its path in the project. */
export function blocksOf(page: string, language = 'sh'): string[] {
  const source = readFileSync(join(ROOT, page), 'utf8');
  const blocks = source.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'));
  return [...blocks].map(([, code = '']) => code);
}

/** Where commands are run. */
export type Shell = {
  readonly folder: string;
  /** Directories with `accession` and `node`, in front of those of the machine. */
  readonly path: string;
  /** Names of the pages → what they are here, such as ports. */
  readonly instead?: Readonly<Record<string, string>>;
};

/**
 * Runs commands in one shell that ends with the first failure. Meanwhile, the output of services that were started is read: one
 * that nobody reads would stop with a full pipe.
 *
 * @returns what each block prints
 */
export async function runBlocks(blocks: readonly string[], shell: Shell): Promise<string[]> {
  const script = ['set -e -o pipefail', ...blocks.map((block) => `echo ${MARK}\n${block}`)].join('\n');
  const child = spawn('bash', ['-c', adapted(script, shell)], options(shell));
  child.stdin.end();
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  return stdout.split(`${MARK}\n`).slice(1);
}

/** Starts a block that ends with a service. @returns when it listens */
export async function startBlock(block: string, shell: Shell): Promise<ChildProcess> {
  const child = spawn('bash', ['-c', `set -e\n${adapted(block, shell)}`], {
    ...options(shell),
    detached: true,
  });
  let output = '';
  const started = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      output += data;
      if (output.includes(' listens on ')) started.resolve();
    });
  child.once('exit', (status) => started.reject(new Error(`ended with ${status}:\n${output}`)));
  await started.promise;
  return child;
}

/** Ends what a block started, with all its processes. */
export async function stopBlock(child: ChildProcess): Promise<void> {
  const ended = new Promise((done) => child.once('close', done));
  process.kill(-(child.pid as number), 'SIGTERM');
  await ended;
}

function adapted(script: string, { instead = {} }: Shell): string {
  return Object.entries(instead).reduce((text, [from, to]) => text.replaceAll(from, to), script);
}

function options({ folder, path }: Shell) {
  // npm tells its children where it runs, and an npm below it would install there.
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const env = { ...own, PATH: `${path}:${process.env.PATH}`, XDG_CONFIG_HOME: folder };
  return { cwd: folder, env } as const;
}
