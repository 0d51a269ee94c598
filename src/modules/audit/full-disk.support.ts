/** A program that writes audited records until there is no room: `node full-disk.support.ts <directory>`. See `full-disk.test.ts`. */
import { openAudited } from './parts.support.ts';

const [directory = ''] = process.argv.slice(2);
const { store, record, log, close } = await openAudited(directory, 600);
const filler = 'x'.repeat(20_000);
let acknowledged = 0;
try {
  for (; acknowledged < 1000; acknowledged++) {
    await record(`{"filler":"${filler}","n":${acknowledged},"pid":"ex:a"}`);
  }
} catch (error) {
  console.log(`refused: ${(error as Error).message}`);
}
const entries = await store.entries({ iris: ['https://example.org/a'], limit: 1000 });
const last = JSON.parse(entries.at(-1)?.json ?? '{}').n;
console.log(`${entries.length === acknowledged && last === acknowledged - 1}`);
console.log(log.faults().length);
await close();
