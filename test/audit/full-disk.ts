/** A program that writes audited records until there is no room: `node full-disk.ts <directory>`. See `command.test.ts`. */
import { historyOf } from '../../src/audit/history.ts';
import { openAudited } from './parts.ts';

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
const entries = await Array.fromAsync(historyOf({ store }, undefined, 'https://example.org/a', ['ex:a']));
const last = JSON.parse(entries.at(-1)?.json ?? '{}').n;
console.log(`${entries.length === acknowledged && last === acknowledged - 1}`);
console.log(log.faults().length);
await close();
