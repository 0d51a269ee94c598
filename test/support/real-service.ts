/** The service as an operator runs it: the command in a process of its own, on a free port of this machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');

export type RealService = {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything on standard error and standard output so far. */
  output(): string;
  /** Sends SIGTERM. @returns the exit status; null if a signal ended the process */
  stop(): Promise<number | null>;
  /** Ends the process at once, as a power failure would. */
  kill(): Promise<void>;
};

type RealServiceOptions = {
  readonly environment?: NodeJS.ProcessEnv;
  /** The program, if it is not the command of this checkout. */
  readonly command?: string;
  /** The directory that it is started in. */
  readonly directory?: string;
  /** Whether it leads a process group, as one that a terminal starts. */
  readonly detached?: boolean;
  /** A free one, unless another is given. */
  readonly port?: number;
};

/** Starts `accession serve`. @throws with its output if it ends before it listens */
export async function startService(
  args: readonly string[],
  {
    environment = {},
    command = COMMAND,
    directory = process.cwd(),
    detached = false,
    port = 0,
  }: RealServiceOptions = {},
): Promise<RealService> {
  const { ACCESSION_ADMIN_TOKEN: _, DTS_ADMIN_TOKEN: __, ...rest } = process.env;
  const child = spawn(process.execPath, [command, 'serve', ...args, '--port', `${port}`], {
    cwd: directory,
    detached,
    env: { ...rest, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  const closed = once(child, 'close') as Promise<[number | null]>;
  for (;;) {
    const url = /listens on (\S+)/.exec(output)?.[1];
    if (url !== undefined) {
      return {
        child,
        url,
        output: () => output,
        async stop() {
          child.kill('SIGTERM');
          return (await closed)[0];
        },
        async kill() {
          child.kill('SIGKILL');
          await closed;
        },
      };
    }
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the service ended: ${output}`);
    await Promise.race([once(child.stderr, 'data'), closed]);
  }
}
