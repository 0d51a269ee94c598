/** A program that writes to a log until there is no room: `node full-disk.ts <directory>`. See `command.test.ts`. */
import { openLog } from './parts.ts';

const [directory = ''] = process.argv.slice(2);
const log = await openLog(directory, 600);
const filler = 'x'.repeat(20_000);
let confirmed = 0;
try {
  for (; confirmed < 1000; confirmed++) {
    const json = `{"filler":"${filler}","n":${confirmed},"pid":"ex:a"}`;
    await (await log.announce([{ pid: 'ex:a', json, committerId: 'c', authorId: 'c' }])).confirm();
  }
} catch (error) {
  console.log(`refused: ${(error as Error).message}`);
}
// A new file of the journal has room again.
await log.flush();
for (const n of ['again', 'and again']) {
  await (
    await log.announce([{ pid: 'ex:a', json: `{"n":"${n}","pid":"ex:a"}`, committerId: 'c', authorId: 'c' }])
  ).confirm();
  confirmed++;
}
const entries = await log.history(['ex:a']);
console.log(
  entries.length === confirmed ? 'entries = confirmed' : `${entries.length} entries, ${confirmed} confirmed`,
);
await log.close();
