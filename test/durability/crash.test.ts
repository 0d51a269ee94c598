/** One kill of each kind; `crash.long.test.ts` has more of them, on all backends. */
import { type Killed, testCrashes } from './crash.ts';
import { WORLDS } from './world.ts';

const ROUNDS: Readonly<Record<string, readonly Killed[]>> = {
  sqlite: ['service', 'thread'],
  'record_dir+stl': ['service'],
  postgresql: ['service'],
};

for (const world of WORLDS) if (ROUNDS[world.name]) testCrashes(world, ROUNDS[world.name]!);
