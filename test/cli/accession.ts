/** Runs the command as people do, but in this process: `test/check-command.test.ts` and `package-runs.ts` start processes. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { run } from '../../src/cli/main.ts';

/** The schema of the example store. */
export const LABORATORY = resolve(import.meta.dirname, '../../examples/laboratory/schema.yaml');

type Ran = { readonly status: number; readonly stdout: string; readonly stderr: string };

export type RunOptions = {
  readonly input?: string;
  /** An empty directory, unless another is given. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** Where commands run that name no directory: what they write or find there is not part of the checkout. */
const nowhere = mkdtempSync(join(tmpdir(), 'accession-nowhere-'));
process.once('exit', () => rmSync(nowhere, { recursive: true, force: true }));

/** The variables that commands read, which the machine may have. */
const UNSET = {
  ACCESSION_URL: undefined,
  ACCESSION_TOKEN: undefined,
  ACCESSION_ADMIN_TOKEN: undefined,
  ACCESSION_METRICS_TOKEN: undefined,
  DTC_TOKEN: undefined,
  DTS_ADMIN_TOKEN: undefined,
  DATABASE_URL: undefined,
  XDG_CONFIG_HOME: join(nowhere, '.config'),
};

/** What a command writes; everything else that this process writes is that of the tests. */
type Written = { readonly stdout: Buffer[]; readonly stderr: Buffer[] };
const written = new AsyncLocalStorage<Written>();

for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
    const command = written.getStore();
    if (!command) return write(chunk, ...rest);
    command[name].push(Buffer.from(chunk as string));
    return true;
  };
}

/** Commands have a working directory, variables and an exit status, and a process has one of each. */
let last: Promise<unknown> = Promise.resolve();

/** Waits for the end of the command; services of the test go on meanwhile. */
export function accession(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const ran = last.then(() => runHere(args, options));
  last = ran.catch(() => {});
  return ran;
}

async function runHere(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { input = '', cwd = nowhere } = options;
  const env = { ...UNSET, ...options.env };
  const { exitCode } = process;
  const directory = process.cwd();
  const variables = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  const outputs: Written = { stdout: [], stderr: [] };
  try {
    process.exitCode = undefined;
    process.chdir(cwd);
    setVariables(env);
    Object.defineProperty(process, 'stdin', { ...stdin, get: () => Readable.from([Buffer.from(input)]) });
    await written.run(outputs, () => run(args));
    const [stdout = '', stderr = ''] = [outputs.stdout, outputs.stderr].map((all) => `${Buffer.concat(all)}`);
    return { status: Number(process.exitCode ?? 0), stdout, stderr };
  } finally {
    process.exitCode = exitCode;
    process.chdir(directory);
    setVariables(variables);
    Object.defineProperty(process, 'stdin', stdin);
  }
}

function setVariables(variables: NonNullable<RunOptions['env']>): void {
  for (const [name, value] of Object.entries(variables))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}

/** A folder that is removed when the test ends. */
export function scratch(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'accession-cli-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
