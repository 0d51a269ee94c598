/** One kill; `crash.long.test.ts` has more of them, also of the thread that writes, on all backends. */
import { testCrashes } from './crash.ts';
import { WORLDS } from './world.ts';

testCrashes(WORLDS.find(({ name }) => name === 'sqlite')!, ['service']);
