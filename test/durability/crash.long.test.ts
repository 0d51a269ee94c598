/**
 * Many kills on each backend. `ACCESSION_CRASH_ROUNDS` is their number, `ACCESSION_CRASH_BACKENDS=sqlite,postgresql` selects
 * some.
 */
import { testCrashes } from './crash.ts';
import { WORLDS } from './world.ts';

const ROUNDS = Number(process.env.ACCESSION_CRASH_ROUNDS ?? 3);
const NAMED = process.env.ACCESSION_CRASH_BACKENDS?.split(',');

for (const world of WORLDS.filter(({ name }) => !NAMED || NAMED.includes(name))) {
  const hasThread = world.backend.type !== 'postgresql';
  testCrashes(
    world,
    Array.from({ length: ROUNDS }, (_, round) => (hasThread && round % 3 === 2 ? 'thread' : 'service')),
  );
}
