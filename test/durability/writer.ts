/**
 * A process that is there to be killed: it writes to an area from several writers at once, and tells on its standard
 * output what it is about to do and what was acknowledged.
 *
 *     node writer.ts <world> <directory> <seed>
 *
 * Lines: `try <serial> <name> <value>` before a write, `ack <serial>` after it. A value of `-` is a deletion.
 */
import { writeSync } from 'node:fs';
import { openMirrored } from '../../src/peer/mirror-subject.ts';
import { BY } from '../../src/storage/contract/subject.ts';
import { changesOf, NAMES, WORLDS, WRITERS } from './world.ts';

const [worldName = '', directory = '', seedText = '0'] = process.argv.slice(2);
const { files } = WORLDS.find(({ name }) => name === worldName)!;
const { database, store, mirror } = await openMirrored(directory, files);
if (!files) database.use({ companions: () => [], mirror: () => undefined });
else await mirror.begin();
let seed = Number(seedText);
let serial = 0;

/** A small generator of its own, so that a round can be repeated from its seed. */
function random(below: number): number {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * below);
}

const tell = (line: string) => writeSync(1, `${line}\n`);

async function work(writer: number): Promise<never> {
  for (;;) {
    const name = `${writer}n${random(NAMES)}`;
    serial += 1;
    const mine = serial;
    const remove = random(4) === 0 && (await store.get(`https://example.org/${name}-0`)) !== undefined;
    const value = remove ? '-' : `${seedText}.${mine}`;
    tell(`try ${mine} ${name} ${value}`);
    await store.write(changesOf(name, remove ? undefined : value, random(2) === 0 ? 'Person' : 'Robot'), BY);
    tell(`ack ${mine}`);
  }
}

tell('open');
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)));
