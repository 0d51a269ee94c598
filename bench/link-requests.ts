/**
 * What references cost a write through the service: new records whose two slots refer to other records, beside the same
 * records under a schema in which the two slots have URIs. Both go through one service in turn.
 *
 * `node bench/link-requests.ts [records]`
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openApp } from '../src/app.ts';

const [count = 20_000] = process.argv.slice(2).map(Number);
const root = mkdtempSync(join(tmpdir(), 'accession-bench-requests-'));
const NAMES = ['linked', 'plain'] as const;
type Name = (typeof NAMES)[number];

for (const name of NAMES) {
  const range = name === 'linked' ? 'Person' : 'uriorcurie';
  writeFileSync(
    join(root, `${name}.yaml`),
    `id: https://example.org/schema
name: example
prefixes: { ex: https://example.org/, linkml: https://w3id.org/linkml/ }
imports: [linkml:types]
default_prefix: ex
default_range: string
classes:
  Person:
    attributes:
      pid: { identifier: true, range: uriorcurie, required: true }
      schema_type: { designates_type: true, range: uriorcurie }
      name: {}
      description: {}
      email: {}
      friend: { range: ${range} }
      affiliations: { range: ${range}, multivalued: true }
`,
  );
}
const paths = (name: Name) => ({
  ...{ schema: join(root, `${name}.yaml`), curated: `${name}/curated`, incoming: `${name}/incoming` },
  ...{ default_token: 'cora', backend: { type: 'sqlite' } },
});
const collections = { linked: { mode: 'CURATOR' }, plain: { mode: 'CURATOR' } };
const config = {
  ...{ type: 'collections', version: 2 },
  collections: { linked: paths('linked'), plain: paths('plain') },
  tokens: { cora: { user_id: 'cora', representation: 'cora', collections } },
};
writeFileSync(join(root, 'config.yaml'), JSON.stringify(config));
const app = await openApp({
  store: mkdtempSync(join(root, 'store-')),
  configFile: join(root, 'config.yaml'),
  version: '0',
  logger: pino({ level: 'error' }),
});

const record = (at: number) => ({
  ...{ pid: `ex:${at}`, name: `Name ${at}`, email: `p${at}@example.org` },
  description:
    'A description of usual length, as records of laboratories have, with some words about what it is.',
  friend: `ex:${(at * 7) % count}`,
  affiliations: [`ex:${Math.floor(((at * 13) % count) / 100) * 100}`],
});

async function post(url: string, payload: object): Promise<void> {
  const headers = { 'x-service-token': 'cora', 'content-type': 'application/json' };
  const answer = await app.server.inject({
    method: 'POST',
    url,
    headers,
    payload: JSON.stringify(payload),
  });
  if (answer.statusCode !== 200) throw new Error(answer.body);
}

let last = 0;
const sizes = { 1: count / 50, 100: count / 120 };
for (const [size, runs] of Object.entries(sizes)) {
  const used: Record<Name, number[]> = { linked: [], plain: [] };
  for (let run = 0; run < runs; run++) {
    const records = Array.from({ length: Number(size) }, () => record(last++));
    for (const name of run % 2 ? NAMES : NAMES.toReversed()) {
      const before = process.threadCpuUsage();
      if (records.length === 1) await post(`/${name}/curated/record/Person`, records[0]!);
      else await post(`/-/${name}/curated/records/Person`, records);
      const { user, system } = process.threadCpuUsage(before);
      used[name].push((user + system) / 1000);
    }
  }
  const half = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1]!;
  const [plain, linked] = [half(used.plain), half(used.linked)];
  console.log(
    `a request with ${size} new records: ${plain.toFixed(2)} ms of processor time without, ${linked.toFixed(2)} ms with ` +
      `references, ${((linked / plain - 1) * 100).toFixed(0)} % more`,
  );
}
await app.close();
rmSync(root, { recursive: true });
