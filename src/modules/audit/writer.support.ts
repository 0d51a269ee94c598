/**
 * A program that writes audited records until it is killed: `node writer.support.ts <directory> <round> [<database>]`. It prints each acknowledged change in a line, `<pid> <content number, or - for a delete>`.
 */
import { openLog, openRecords } from './parts.support.ts';

const [directory = '', round = '0', url] = process.argv.slice(2);
const records = await openRecords(`${directory}/records`, url);
const { store } = records;
await openLog(`${directory}/log`, records, 1);
const by = { committer: 'curator', author: `round ${round}`, role: 'curator' } as const;

let number = Number(round) * 1_000_000;
await Promise.all(Array.from({ length: 4 }, (_, i) => keepWriting(`ex:${i}`)));

/** Three puts and a delete, again and again; a record of its own in each write, and one that all write to. */
async function keepWriting(pid: string): Promise<never> {
  for (let n = 0; ; n++) {
    const iri = pid.replace('ex:', 'https://example.org/');
    const exists = (await store.get(iri)) !== undefined;
    if (n % 4 === 3 && exists) {
      await store.write([{ delete: iri }], by);
      process.stdout.write(`${pid} -\n`);
    } else {
      const [own, common] = [number++, number++];
      await store.write([put(pid, own), put('ex:common', common)], by);
      process.stdout.write(`${pid} ${own}\nex:common ${common}\n`);
    }
  }
}

function put(pid: string, content: number) {
  const iri = pid.replace('ex:', 'https://example.org/');
  return {
    put: {
      pid,
      iri,
      className: 'Thing',
      json: `{"content":${content},"pid":"${pid}","schema_type":"ex:Thing"}`,
    },
  };
}
