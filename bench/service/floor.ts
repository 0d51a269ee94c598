/**
 * The floor: what the same Node, fastify and SQLite do when they do only the unavoidable. A token is looked up by its
 * hash, one indexed SELECT or one durable INSERT is made, and the same bytes go out. No schema, no permission, no zone.
 * A store adds the record and an entry, and what arrived meanwhile is one transaction.
 *
 * `node bench/service/floor.ts <database> <port>`; the database is made by {@link makeFloor}.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';
import { canonicalJson } from '#linkml/json.ts';
import { recordOf, secretOf } from './data.ts';

const BATCH = 10_000;

/** Makes the database with this many records, unless it is there. */
export async function makeFloor(file: string, count: number): Promise<void> {
  if (existsSync(file)) return;
  const making = `${file}.making`;
  await rm(making, { force: true });
  const database = new DatabaseSync(making);
  database.exec('CREATE TABLE record (pid TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID');
  const insert = database.prepare('INSERT INTO record VALUES (?, ?)');
  for (let start = 0; start < count; start += BATCH) {
    database.exec('BEGIN');
    for (let i = start; i < Math.min(count, start + BATCH); i++) {
      const { className, record } = recordOf(i);
      insert.run(record.pid, canonicalJson({ ...record, schema_type: `lab:${className}` }));
    }
    database.exec('COMMIT');
  }
  database.close();
  await rename(making, file);
}

type Row = { json: string };

async function serve(file: string, port: number): Promise<void> {
  const tokens = new Map(['reader', 'writer', 'curator'].map((name) => [hash(secretOf(name)), name]));
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const one = database.prepare('SELECT json FROM record WHERE pid = ?');
  const range = database.prepare('SELECT json FROM record WHERE pid >= ? ORDER BY pid LIMIT ?');
  database.exec(
    'CREATE TABLE IF NOT EXISTS entry (number INTEGER PRIMARY KEY, pid TEXT, at TEXT, json TEXT)',
  );
  const put = database.prepare('INSERT OR REPLACE INTO record VALUES (?, ?)');
  const note = database.prepare('INSERT INTO entry (pid, at, json) VALUES (?, ?, ?)');
  const total = (database.prepare('SELECT count(*) AS total FROM record').get() as { total: number }).total;

  const app = fastify();
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', async (request, reply) => {
    const known = tokens.has(hash(String(request.headers['x-service-token'])));
    if (!known && request.url !== '/server') await reply.code(401).send({ detail: 'token' });
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.type('application/json');
  });

  app.get<{ Querystring: { pid: string } }>('/read', (request) => (one.get(request.query.pid) as Row).json);
  app.get<{ Querystring: { from: string; size: string } }>('/page', (request) => {
    const size = Number(request.query.size);
    const rows = range.all(request.query.from, size) as Row[];
    const items = rows.map(({ json }) => json).join(',');
    return `{"items":[${items}],"page":1,"pages":${Math.ceil(total / size)},"size":${size},"total":${total}}`;
  });
  app.post<{ Body: string }>('/validate', (request) => {
    JSON.parse(request.body);
    return 'true';
  });
  let waiting: { readonly body: string; readonly stored: () => void }[] = [];
  const commit = () => {
    const group = waiting;
    waiting = [];
    database.exec('BEGIN');
    for (const { body } of group) {
      const { pid } = JSON.parse(body) as { pid: string };
      put.run(pid, body);
      note.run(pid, new Date().toISOString(), body);
    }
    database.exec('COMMIT');
    for (const { stored } of group) stored();
  };
  app.post<{ Body: string }>('/store', async ({ body }) => {
    await new Promise<void>((stored) => {
      if (waiting.push({ body, stored }) === 1) setImmediate(commit);
    });
    return `[${body}]`;
  });
  app.get('/server', () => '{}');
  await app.listen({ host: '127.0.0.1', port });
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

if (import.meta.main) await serve(process.argv[2] as string, Number(process.argv[3]));
