/** A service in a process of its own for fuzzing: how it is asked, and what no answer may be. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { ADMIN, LABORATORY } from '../support/app.ts';
import { startService } from '../support/real-service.ts';

/** Requests of each kind; raise it for a long search. */
export const REQUESTS = Number(process.env.ACCESSION_FUZZ_REQUESTS ?? 1500);
/** With the same seed the same requests are made. */
export const SEED = Number(process.env.ACCESSION_FUZZ_SEED ?? Date.now() % 2 ** 31);

export const TOKENS = { admin: ADMIN, curator: 'fuzz-curator', user: 'fuzz-user' } as const;

type Target = {
  readonly url: string;
  /** Fails if an answer is a failure of the service or reports what is inside it. */
  judge(answer: { status: number; text: string }, request: string): void;
  /** The memory of the process in MiB. */
  memory(): number;
  output(): string;
};

type TargetOptions = {
  /** Only these collections, and only these classes of them. */
  readonly collections?: readonly string[];
  readonly classes?: readonly string[];
};

export async function startTarget(t: TestContext, options: TargetOptions = {}): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-fuzz-'));
  const store = join(folder, 'the-store');
  mkdirSync(store);
  const schemas = mkdtempSync(join(tmpdir(), 'fuzz-schema-'));
  const schema = join(schemas, 'schema.yaml');
  copyFileSync(LABORATORY, schema);
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(configuration(schema, options)));
  const service = await startService([store, '--limit', 'refused-tokens=0'], {
    environment: { ACCESSION_ADMIN_TOKEN: TOKENS.admin },
  });
  t.after(async () => {
    await service.kill();
    for (const directory of [folder, schemas]) rmSync(directory, { recursive: true, force: true });
  });
  t.diagnostic(`seed ${SEED}`);
  const secrets = [store, folder, resolve(import.meta.dirname, '../..'), 'node_modules', 'node:internal'];
  return {
    url: service.url,
    output: service.output,
    memory() {
      assert.equal(service.child.exitCode, null, `the service ended: ${service.output()}`);
      return memoryOf(service.child.pid as number);
    },
    judge({ status, text }, request) {
      assert.equal(service.child.exitCode, null, `the service ended after ${request}: ${service.output()}`);
      const failed = status >= 500 && status !== 503;
      assert.ok(
        !failed,
        `${status} ${text.slice(0, 300)}\n${request}\n${failed ? service.output().slice(-3000) : ''}`,
      );
      for (const secret of secrets)
        assert.ok(!text.includes(secret), `${secret} in ${text.slice(0, 600)}\n${request}`);
      assert.doesNotMatch(text, /\n\s+at \S+ \(|\.ts:\d+:\d+/, request);
    },
  };
}

function configuration(schema: string, { collections: named, classes = [] }: TargetOptions): object {
  const collection = (name: string, more: object) => ({
    schema,
    default_token: 'anyone',
    use_classes: classes,
    curated: `${name}/curated`,
    incoming: `${name}/incoming`,
    ...more,
  });
  const token = (name: string, mode: string) => ({
    user_id: name,
    representation: name,
    collections: { sql: { mode, incoming_label: name }, files: { mode, incoming_label: name } },
  });
  return {
    type: 'collections',
    version: 2,
    collections: Object.fromEntries(
      Object.entries({
        sql: collection('sql', { backend: { type: 'sqlite+stl' } }),
        files: collection('files', { audit_backends: [{ type: 'gitaudit', path: 'files/audit' }] }),
      }).filter(([name]) => named?.includes(name) ?? true),
    ),
    tokens: {
      anyone: { ...token('anyone', 'READ_CURATED'), representation: 'fuzz-anyone' },
      curator: token(TOKENS.curator, 'CURATOR'),
      user: token(TOKENS.user, 'WRITE_COLLECTION'),
    },
  };
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Runs tasks, so many at a time. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** A run is long enough for a statement on memory from here on. */
const LONG = 20_000;

/** Fails if memory still grows in the second half of a long run. @param samples in order, evenly spread */
export function assertFlat(samples: readonly number[], requests: number, t: TestContext): void {
  const half = samples.slice(samples.length >> 1);
  const mean = (part: readonly number[]) => part.reduce((sum, one) => sum + one, 0) / part.length;
  const before = mean(half.slice(0, half.length >> 1));
  const after = mean(half.slice(half.length >> 1));
  t.diagnostic(
    `memory: ${samples[0]?.toFixed(0)} MiB at first, then ${before.toFixed(0)}, last ${after.toFixed(0)}`,
  );
  if (requests >= LONG)
    assert.ok(after < before * 1.15, `memory grows: ${samples.map(Math.round).join(' ')} MiB`);
}
