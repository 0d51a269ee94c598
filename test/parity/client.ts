/** Runs the peer's command line client. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Peer } from './peer.ts';

export type Run = { readonly status: number; readonly stdout: string; readonly stderr: string };

type RunOptions = { readonly token?: string; readonly stdin?: string; readonly cwd?: string };

/** Runs `dtc` with these arguments and waits for its end. */
export async function dtc(peer: Peer, args: readonly string[], options: RunOptions = {}): Promise<Run> {
  // A fixed width and no colours, so that the output of two runs compares.
  const env: NodeJS.ProcessEnv = { ...process.env, COLUMNS: '400', NO_COLOR: '1', TERM: 'dumb' };
  if (options.token !== undefined) env.DTC_TOKEN = options.token;
  const child = spawn(peer.client, args, { env, cwd: options.cwd, stdio: 'pipe' });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { status: child.exitCode ?? -1, stdout, stderr };
}
