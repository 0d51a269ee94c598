/**
 * `npm run bench:typing`: how long the service takes to answer each key that is typed into a search, with nothing
 * remembered, before and after the index of strings is complete. `RECORDS` (100,000) and `BACKENDS` (sqlite, record_dir)
 * change what is measured.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { openApp } from '../src/app.ts';

const RECORDS = Number(process.env.RECORDS ?? 100_000);
const BACKENDS = (process.env.BACKENDS ?? 'sqlite,record_dir').split(',');
/** The first is in every record, the second in every tenth, the third in one, the last in none. */
const TYPED = ['family', 'hopper', 'c012345', 'xylophone', 'ann hopper 99'];
const FAMILIES = ['Abe', 'Byron', 'Curie', 'Dubois', 'Euler', 'Fermi', 'Gauß', 'Hopper', 'Lin', 'Noéther'];

for (const type of BACKENDS) await measure(type);

async function measure(type: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-typing-'));
  const configFile = join(folder, 'config.json');
  const token = (mode: string) => ({
    user_id: 'u',
    representation: mode,
    collections: { lab: { mode, incoming_label: 'u' } },
  });
  const lab = {
    schema: 'examples/laboratory/schema.yaml',
    default_token: 'none',
    curated: 'c',
    incoming: 'i',
  };
  writeFileSync(
    configFile,
    JSON.stringify({
      type: 'collections',
      version: 2,
      collections: { lab: { ...lab, backend: { type } } },
      tokens: { none: token('NOTHING'), ann: token('WRITE_COLLECTION'), cora: token('CURATOR') },
      admin_tokens: { root: { representation: createHash('sha256').update('root').digest('hex') } },
    }),
  );
  const app = await openApp({ store: folder, configFile, version: '0', logger: pino({ level: 'error' }) });
  const send = async (method: 'GET' | 'POST', url: string, mode: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json', 'x-service-token': mode };
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const { statusCode, body: text } = await app.server.inject({ method, url, headers, payload });
    if (statusCode !== 200) throw new Error(text);
    return JSON.parse(text);
  };
  try {
    await send('POST', '/-/lab/records/Person', 'WRITE_COLLECTION', persons(0, 50));
    for (let from = 0; from < RECORDS; from += 1000)
      await send('POST', '/-/lab/curated/records/Person', 'CURATOR', persons(from, 1000));
    await typeAll('right after the last write', 50);
    await indexed(send);
    await typeAll('with a complete index', 51);
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }

  async function typeAll(when: string, size: number): Promise<void> {
    console.log(
      `${type}, ${RECORDS} records, ${when}: milliseconds, and of processor time, for each key (total)`,
    );
    for (const text of TYPED) {
      const keys: string[] = [];
      for (let length = 1; length <= text.length; length++) {
        const q = encodeURIComponent(text.slice(0, length).trim());
        const start = performance.now();
        const cpu = process.cpuUsage();
        const found = await send('GET', `/-/lab/search?class=Person&size=${size}&q=${q}`, 'WRITE_COLLECTION');
        const taken = performance.now() - start;
        const { user, system } = process.cpuUsage(cpu);
        const spent = ((user + system) / 1000).toFixed(0);
        keys.push(
          `${text[length - 1]} ${taken.toFixed(0)}/${spent} (${found.total}${found.complete ? '' : '+'})`,
        );
      }
      console.log(`  ${keys.join(', ')}`);
    }
  }
}

function persons(from: number, number: number): object[] {
  return Array.from({ length: number }, (_, i) => {
    const name = `c${String(from + i).padStart(6, '0')}`;
    const family = FAMILIES[(from + i) % FAMILIES.length];
    return { pid: `labid:${name}`, name: `${family} family ${name}`, family_name: family, given_name: 'Ann' };
  });
}

type Send = (
  method: 'GET',
  url: string,
  mode: string,
) => Promise<{ jobs?: { name: string; state: string }[] }>;

/** Waits until the job of the index has nothing to do. */
async function indexed(send: Send): Promise<void> {
  for (;;) {
    await delay(1000);
    const { jobs = [] } = await send('GET', '/-/status', 'root');
    if (jobs.every(({ name, state }) => !name.startsWith('text index') || state === 'idle')) return;
  }
}
