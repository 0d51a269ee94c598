/** The processes that are measured: Accession, the floor, another checkout if asked for, and the peer if it is installed. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { peerAtHand } from '../../test/parity/peer.ts';
import { type Service, startAccession, startPeer, startProgram } from '../../test/parity/services.ts';

export type TargetName = 'accession' | 'beside' | 'floor' | 'peer';

/** Starts one of the two services on a store; undefined where the peer is not installed. */
export async function startService(
  name: 'accession' | 'peer',
  store: string,
  config: string,
  flags: readonly string[] = [],
): Promise<Service | undefined> {
  if (name === 'accession') return startAccession(store, { config, arguments: flags });
  const peer = peerAtHand();
  return peer && startPeer(peer, store, { config });
}

/** Starts the program of another checkout, whose dependencies are installed. */
export function startBeside(checkout: string, store: string, config: string): Promise<Service> {
  const command = [path.resolve(checkout, 'bin/accession.js'), 'serve', '--host', '127.0.0.1', '--port'];
  return startProgram('beside', process.execPath, (port) => [...command, port, '-c', config, store]);
}

export function startFloor(database: string): Promise<Service> {
  const program = path.join(import.meta.dirname, 'floor.ts');
  return startProgram('floor', process.execPath, (port) => [program, database, String(port)]);
}

/** The resident memory of a process in MB, with its children's left out. */
export async function memoryOf({ pid }: Service): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/**
 * Waits until a service has done what it does behind its answers (indexes that catch up, for example), also in the process that makes
 * the indexes of an imported store.
 */
export async function settle(service: Service): Promise<void> {
  while (await isImporting(service)) await sleep(ROUND_MS);
  for (let quiet = 0; quiet < QUIET_ROUNDS; ) {
    const before = await processorTimeOf(service);
    await sleep(ROUND_MS);
    quiet = (await processorTimeOf(service)) - before <= QUIET_TICKS ? quiet + 1 : 0;
  }
}

async function isImporting({ pid }: Service): Promise<boolean> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const commands = children
    .split(' ')
    .map((child) => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(commands)).some((command) => command.includes('adopt-store'));
}

const ROUND_MS = 300;
const QUIET_ROUNDS = 4;
/** Hundredths of a second in a round that count as doing nothing. */
const QUIET_TICKS = 2;

/** The processor time of a process so far, with all its threads, in hundredths of a second. */
export async function processorTimeOf({ pid }: Service): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}
