/**
 * A process that is there to be killed: it makes long writes, which run in threads, and short ones between them, in a store
 * with an audit log. It reports on its standard output what it is about to do and what was acknowledged.
 *
 *     node long-writer.ts <backend> <directory> <first serial>
 *
 * Lines: `try <serial> <group>` before a write, `ack <serial> <group>` after it.
 */
import { writeSync } from 'node:fs';
import { THREADS } from '../../src/jobs/threads.ts';
import type { BackendType } from '../../src/storage/backends.ts';
import { BY } from '../../src/storage/contract/subject.ts';
import type { RecordStore } from '../../src/storage/store.ts';
import { openLog, openRecords } from '../audit/parts.ts';
import { changesOf, GROUPS, ledgerOf } from './long-groups.ts';

const [backend = '', directory = '', first = '0'] = process.argv.slice(2);
const store = await openRecords(`${directory}/records`, backend as BackendType);
await openLog(`${directory}/log`, store);
let serial = Number(first);

const report = (line: string) => writeSync(1, `${line}\n`);

async function write(group: string): Promise<void> {
  const mine = serial++;
  report(`try ${mine} ${group}`);
  await store.write(changesOf(group, mine), BY, [ledgerOf(group, mine)]);
  report(`ack ${mine} ${group}`);
}

async function repeat(group: string): Promise<never> {
  for (;;) await write(group);
}

/** A long write that was not made in a thread would make the test pointless. */
async function requireThread(inStore: RecordStore): Promise<void> {
  const { started } = THREADS.counts;
  await write('many');
  if (THREADS.counts.started === started) throw new Error('The long write was not made in a thread.');
  if ((await inStore.ledger.get('group', 'many')) === undefined) throw new Error('The ledger has no row.');
}

report('open');
await requireThread(store);
await Promise.all(GROUPS.map(repeat));
