/**
 * A vocabulary of a million terms in the service: the processor time to take its source, to start and to look terms up, and how
 * long others had to wait meanwhile.
 *
 *     npm run bench:terms -- [TERMS]
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { type App, openApp } from '../src/app.ts';
import { missingTerms } from '../src/core/collections/terms.ts';

const TERMS = Number(process.argv[2] ?? 1_000_000);
const OBO = 'http://purl.obolibrary.org/obo/';

const SCHEMA = `
id: https://example.org/s
name: s
prefixes: { ex: https://example.org/, BIG: ${OBO}BIG_, linkml: https://w3id.org/linkml/ }
imports: [linkml:types]
default_prefix: ex
default_range: string
classes:
  Thing: { attributes: { pid: { identifier: true, range: uriorcurie }, term: { range: Big } } }
enums: { Big: { reachable_from: { source_ontology: big, source_nodes: [BIG:0] } } }
`;

const folder = mkdtempSync(join(tmpdir(), 'accession-terms-'));
try {
  await writeSource(join(folder, 'big.json'));
  writeFileSync(join(folder, 's.yaml'), SCHEMA);
  const collection = {
    ...{ schema: join(folder, 's.yaml'), default_token: 'all', curated: 'c', incoming: 'i' },
    ...{ backend: { type: 'sqlite' }, vocabularies: { big: { source: 'big.json' } } },
  };
  const token = {
    user_id: 'all',
    representation: 'all',
    collections: { c: { mode: 'CURATOR', incoming_label: 'x' } },
  };
  const configuration = {
    type: 'collections',
    version: 2,
    collections: { c: collection },
    tokens: { all: token },
  };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(configuration));
  const open = () =>
    openApp({
      ...{
        store: folder,
        configFile: join(folder, 'config.yaml'),
        version: '0',
        logger: pino({ level: 'silent' }),
      },
      bootstrap: createHash('sha256').update('x').digest('hex'),
    });
  const first = await open();
  const longest = longestTurn();
  const taken = await measured(async () => {
    while (missingTerms(first.registry.collection('c')).length > 0) await pause(50);
  });
  console.log(
    `${TERMS} terms taken and in force: ${taken.toFixed(0)} ms; the longest wait of others ${longest()} ms`,
  );
  await first.close();
  let app: App;
  const start = await measured(async () => {
    app = await open();
  });
  console.log(`start with the snapshot: ${start.toFixed(0)} ms`);
  for (const query of [
    'q=motor%20neuron%204',
    'q=c',
    'q=cell%20of%20type',
    'q=type%20777&under=BIG:5',
    'under=BIG:5',
    'q=BIG:500000',
    'q=',
  ]) {
    const times: number[] = [];
    for (let n = 0; n < 20; n++)
      times.push(await measured(() => app.server.inject(`/-/c/terms/big?${query}`)));
    const [, ...rest] = times;
    console.log(`${query}: first ${times[0]!.toFixed(1)} ms, then ${median(rest).toFixed(1)} ms`);
  }
  const json = { pid: 'ex:a', term: `BIG:${TERMS - 1}` };
  const stored = await measured(() =>
    app.server.inject({ method: 'POST', url: '/c/curated/record/Thing', payload: json }),
  );
  console.log(`a write with a term: ${stored.toFixed(1)} ms`);
  await app!.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** An OBO Graph in which each term has a tenth of its number as parent. */
async function writeSource(file: string): Promise<void> {
  const out = createWriteStream(file);
  const write = async (text: string) => void (out.write(text) || (await once(out, 'drain')));
  await write('{"graphs": [{"id": "http://example.org/big", "nodes": [');
  for (let n = 0; n < TERMS; n++) {
    const label = `${['motor neuron', 'cell of type', 'protein'][n % 3]} ${n}`;
    const meta = {
      definition: { val: `The ${label} of organism ${n % 1000}.` },
      synonyms: [{ pred: 'x', val: `alias ${n}` }],
    };
    await write(
      `${n ? ',' : ''}${JSON.stringify({ id: `${OBO}BIG_${n}`, type: 'CLASS', lbl: label, meta })}`,
    );
  }
  await write('], "edges": [');
  for (let n = 1; n < TERMS; n++)
    await write(
      `${n > 1 ? ',' : ''}${JSON.stringify({ sub: `${OBO}BIG_${n}`, pred: 'is_a', obj: `${OBO}BIG_${Math.floor(n / 10)}` })}`,
    );
  await write(']}]}');
  out.end();
  await once(out, 'close');
}

/** The processor time of all threads, in milliseconds: other programs do not count. */
async function measured(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** @returns a function with the longest time so far in which the main thread had no turn, in milliseconds */
function longestTurn(): () => number {
  let [last, longest] = [performance.now(), 0];
  setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 5);
    last = now;
  }, 5).unref();
  return () => Math.round(longest);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
