/** The processes that are measured: Accession, the floor, and the peer where it is at hand. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { peerAtHand } from '../../test/parity/peer.ts';
import { type Service, startAccession, startPeer, startProgram } from '../../test/parity/services.ts';

export type TargetName = 'accession' | 'floor' | 'peer';

/** Starts one of the two services on a store; undefined where the peer is not installed. */
export async function startService(
  name: 'accession' | 'peer',
  store: string,
  config: string,
): Promise<Service | undefined> {
  if (name === 'accession') return startAccession(store, { config });
  const peer = peerAtHand();
  return peer && startPeer(peer, store, { config });
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

/** Lets a service finish what it does behind its answers. */
export async function settle(): Promise<void> {
  await sleep(500);
}
