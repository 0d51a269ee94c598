/**
 * What an audit log costs, and how it behaves when it is large.
 *
 *     node bench/audit.ts [--writes 600] [--changes 100000] [--records 20000] [--json <file>]
 *
 * 0 writes or 0 changes leave a part out.
 *
 * First: curated writes over HTTP into a service that runs in a process of its own, with and without a log, in turns;
 * what counts is the ratio. The time until all entries are in git (the stop of the service) is told beside it. Then a
 * log with many changes: its size, the report of one record on the command line, a history over HTTP, git's own check.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { AuditLogs } from '../src/audit/logs.ts';
import { Jobs } from '../src/jobs/jobs.ts';
import { canonicalJson } from '../src/json.ts';
import { openStore } from '../src/storage/backends.ts';

const { values: flags } = parseArgs({
  options: {
    writes: { type: 'string', default: '600' },
    changes: { type: 'string', default: '100000' },
    records: { type: 'string', default: '20000' },
    json: { type: 'string' },
  },
});
const WRITES = Number(flags.writes);
const CHANGES = Number(flags.changes);
const RECORDS = Number(flags.records);

const ROOT = resolve(import.meta.dirname, '..');
const SCHEMA = join(ROOT, 'examples/laboratory/schema.yaml');
const COMMAND = join(ROOT, 'bin/accession.js');
const run = promisify(execFile);

const scratch = mkdtempSync(join(tmpdir(), 'accession-bench-audit-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const rates = [];
for (const backend of WRITES > 0 ? ['sqlite+stl', 'record_dir+stl'] : []) {
  for (const clients of [1, 8]) rates.push(await compareRates(backend, clients));
}
console.table(rates);
const large = CHANGES > 0 ? await measureLarge() : undefined;
if (large) console.table(large);
if (flags.json) writeFileSync(flags.json, `${JSON.stringify({ rates, large }, null, 2)}\n`);

/** Seven rounds each, with and without, in turns; the median counts. */
async function compareRates(backend: string, clients: number) {
  const results = { without: [] as Round[], with: [] as Round[] };
  for (let i = 0; i < 7; i++) {
    for (const kind of ['without', 'with'] as const) {
      results[kind].push(await writeRound(backend, clients, kind === 'with'));
    }
  }
  const [without, audited] = [median(results.without), median(results.with)];
  return {
    backend,
    clients,
    'without (1/s)': Math.round(without.rate),
    'with (1/s)': Math.round(audited.rate),
    'kept (%)': Math.round((100 * audited.rate) / without.rate),
    'stop with (ms)': Math.round(audited.stop),
  };
}

type Round = { readonly rate: number; readonly stop: number };

async function writeRound(backend: string, clients: number, audited: boolean): Promise<Round> {
  const service = await startService(backend, audited);
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  let next = 0;
  const write = async (until: number) => {
    while (next < until) await post(service.port, agent, person(next++, 0));
  };
  const warmUp = Math.round(WRITES / 5);
  await Promise.all(Array.from({ length: clients }, () => write(warmUp)));
  const start = performance.now();
  await Promise.all(Array.from({ length: clients }, () => write(warmUp + WRITES)));
  const rate = (WRITES * 1000) / (performance.now() - start);
  agent.destroy();
  const stop = await service.stop();
  return { rate, stop };
}

async function measureLarge() {
  const store = join(scratch, 'large');
  mkdirSync(store);
  const path = join(store, 'c/audit');
  const config = { type: 'gitaudit', path: 'c/audit', auto_flush_timeout: 60 } as const;
  const area = await openStore({ type: 'sqlite+stl' }, join(store, 'c/curated'), {
    expand: (pid) => pid.replace(/^labid:/, 'https://example.org/laboratory/id/'),
    schemaTypeOf: () => 'schema:Person',
  });
  const log = await new AuditLogs(new Jobs(console), console).open(config, path, 'c', { store: area });
  const by = { committer: 'curator@example.org', author: 'author@example.org', role: 'curator' } as const;
  const start = performance.now();
  for (let i = 0; i < CHANGES; i += 100) {
    const changes = Array.from({ length: Math.min(100, CHANGES - i) }, (_, j) => {
      const record = person((i + j) % RECORDS, Math.floor((i + j) / RECORDS));
      const { pid } = record;
      const iri = `https://example.org/laboratory/id/p${(i + j) % RECORDS}`;
      return { put: { pid, iri, className: 'Person', json: canonicalJson(record) } };
    });
    await area.write(changes, by);
  }
  const written = performance.now() - start;
  await log.close();
  await area.close();
  const inGit = performance.now() - start;
  const report = await timed(() => run(process.execPath, [COMMAND, 'audit', 'report', path, 'labid:p17']));
  const service = await startService('sqlite+stl', true, store);
  const agent = new Agent({ keepAlive: true });
  const history = [];
  for (let i = 0; i < 20; i++) {
    const url = `/-/c/history?pid=labid:p${(i * 31) % RECORDS}`;
    history.push(await timed(() => send(service.port, agent, 'GET', url)));
  }
  agent.destroy();
  await service.stop();
  const size = async (what: string) => (await run('du', ['-sm', what])).stdout.split('\t')[0];
  const packs = (await run('git', ['--git-dir', path, 'count-objects', '-v'])).stdout;
  const fsck = await timed(() => run('git', ['--git-dir', path, 'fsck', '--full', '--strict']));
  return {
    changes: CHANGES,
    records: RECORDS,
    'written (s)': round(written / 1000),
    'in git (s)': round(inGit / 1000),
    'report of one record (ms)': Math.round(report),
    'first history (ms)': Math.round(history[0] ?? 0),
    'median history (ms)': round(history.sort((a, b) => a - b)[10] ?? 0),
    'objects of git (MB)': await size(join(path, 'objects')),
    'our index (MB)': await size(join(path, 'accession')),
    packs: /packs: (\d+)/.exec(packs)?.[1],
    'git fsck (s)': round(fsck / 1000),
  };
}

async function startService(backend: string, audited: boolean, given?: string) {
  const store = given ?? mkdtempSync(join(scratch, 'store-'));
  const schema = join(store, 'schema.yaml');
  cpSync(SCHEMA, schema);
  const config = join(store, 'config.yaml');
  const audit = audited ? [{ type: 'gitaudit', path: 'c/audit' }] : [];
  const collection = {
    schema,
    default_token: 'none',
    curated: 'c/curated',
    incoming: 'c/incoming',
    backend: { type: backend },
    audit_backends: audit,
  };
  const token = {
    user_id: 'curator@example.org',
    collections: { c: { mode: 'CURATOR', incoming_label: 'x' } },
    representation: 'curator',
  };
  const hash = createHash('sha256').update('admin').digest('hex');
  const file = {
    type: 'collections',
    version: 2,
    collections: { c: collection },
    tokens: { curator: token },
    admin_tokens: { admin: { representation: hash } },
  };
  writeFileSync(config, JSON.stringify(file));
  const child = spawn(process.execPath, [COMMAND, 'serve', store, '--port', '0', '-c', config], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const port = await portOf(child);
  return {
    port,
    /** @returns how long it took, in milliseconds */
    async stop(): Promise<number> {
      const start = performance.now();
      child.kill('SIGTERM');
      await once(child, 'exit');
      return performance.now() - start;
    },
  };
}

async function portOf(child: ChildProcess): Promise<number> {
  let output = '';
  for await (const chunk of child.stderr ?? []) {
    output += chunk;
    const port = /listens on \S+:(\d+)/.exec(output)?.[1];
    if (port) return Number(port);
  }
  throw new Error(`the service did not start: ${output}`);
}

function person(i: number, version: number) {
  return {
    pid: `labid:p${i}`,
    name: `Person ${i}`,
    given_name: `Given ${i % 977}`,
    family_name: `Family ${i % 4871}, in version ${version}`,
    schema_type: 'schema:Person',
  };
}

async function post(port: number, agent: Agent, body: object): Promise<void> {
  await send(port, agent, 'POST', '/c/curated/record/Person', JSON.stringify(body));
}

function send(port: number, agent: Agent, method: string, path: string, body?: string): Promise<string> {
  return new Promise((done, fail) => {
    const headers = { 'x-service-token': 'curator', ...(body && { 'content-type': 'application/json' }) };
    const sent = request({ port, host: '127.0.0.1', agent, method, path, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () =>
        answer.statusCode === 200 ? done(text) : fail(new Error(`${answer.statusCode}: ${text}`)),
      );
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(rounds: Round[]): Round {
  return rounds.sort((a, b) => a.rate - b.rate)[Math.floor(rounds.length / 2)] as Round;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
