/** The requests that are held against the service: the largest and slowest that a client with a token can send. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Answer, RunningService } from './service.ts';

type Context = { readonly service: RunningService; readonly store: string };

type Case = {
  readonly name: string;
  /** What has to be there first; not measured. */
  readonly prepare?: (context: Context) => Promise<unknown>;
  /** The bytes that the client sends, or that the service is asked for; 0 if memory is not in proportion to them. */
  readonly size: number;
  readonly run: (context: Context) => Promise<Answer | string>;
  /** How long pings go on after the answer, for what is done in the background. */
  readonly after?: number;
};

const MIB = 2 ** 20;
const TURTLE = '@prefix ex: <https://example.org/> .\n';

/** The backends, as the collections are named. */
const BACKENDS = ['sqlite', 'dir'] as const;

let serial = 0;
const pid = (name = 'x') => `ex:${name}-${++serial}`;

function post(
  path: string,
  body: string | Buffer,
  options: { type?: string; headers?: Record<string, string>; token?: string } = {},
) {
  return ({ service }: Context) => service.send('POST', path, { token: 'curator', body, ...options });
}

function person(extra: object): string {
  return JSON.stringify({ pid: pid(), ...extra });
}

/** Random characters of the Han script: every trigram is another one. */
function han(length: number): string {
  let text = '';
  for (let n = 0; n < length; n++) text += String.fromCharCode(0x4e00 + randomInt(20_000));
  return text;
}

function words(bytes: number): string {
  return 'a '.repeat(bytes / 2);
}

function inlined(count: number): string {
  const relations: Record<string, object> = {};
  for (let n = 0; n < count; n++) {
    const id = pid('in');
    relations[id] = { pid: id, schema_type: 'ex:Person', name: `person ${n}` };
  }
  return person({ relations });
}

function references(count: number): string {
  return person({ knows: Array.from({ length: count }, (_, n) => `ex:p${n}`) });
}

/** Records that all refer to each other. */
function mutual(count: number): string {
  const knows = Array.from({ length: count }, (_, n) => `ex:mutual-${n}`);
  return lines(count, (n) => ({ pid: knows[n], knows }));
}

function lines(count: number, make: (n: number) => object): string {
  return Array.from({ length: count }, (_, n) => JSON.stringify(make(n))).join('\n');
}

function triples(count: number): string {
  const values = Array.from({ length: count }, (_, n) => `"tag ${n}"`).join(', ');
  return `${TURTLE}${pid()} a ex:Person ; ex:tags ${values} .`;
}

/** The same request to a collection of each backend. */
function each(
  name: string,
  size: (body: string | Buffer) => number,
  path: string,
  make: () => string,
  options = {},
): Case[] {
  return BACKENDS.map((backend) => {
    const body = make();
    return {
      name: `${name} (${backend})`,
      size: size(body),
      run: post(`/${path.replace('$', backend)}`, body, options),
      after: 2000,
    };
  });
}

const bytes = (body: string | Buffer) => Buffer.byteLength(body);
const NDJSON = { type: 'application/x-ndjson' };

function repeated(count: number, make: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => `${make(n)}\n`).join('');
}

/** To which classes are added. */
const SCHEMA = `id: https://example.org/s
name: s
prefixes: {linkml: "https://w3id.org/linkml/"}
imports: [linkml:types]
default_range: string
classes:
  Thing: {attributes: {pid: {identifier: true, range: uriorcurie}}}
`;

/** A client that announces a body, sends most of it and stops. */
function stoppingClients(count: number, token: string | undefined) {
  return async ({ service }: Context): Promise<string> => {
    const body = 10 * MIB;
    // One for all: 400 of them would take the memory of the machine that is measured.
    const most = Buffer.alloc(body - 100, 'x');
    const answers = new Map<string, number>();
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(service.port, '127.0.0.1');
      const head = [
        'POST /sqlite/record/Person HTTP/1.1',
        'host: x',
        'content-type: application/json',
        `content-length: ${body}`,
      ];
      if (token !== undefined) head.push(`x-service-token: ${token}`);
      socket.on('error', () => {});
      socket.once('data', (chunk: Buffer) => {
        const status = String(chunk).split(' ')[1] ?? '';
        answers.set(status, (answers.get(status) ?? 0) + 1);
      });
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.write(most);
      return socket;
    });
    await delay(8000);
    for (const socket of sockets) socket.destroy();
    return [...answers].map(([status, n]) => `${n} x ${status}`).join(', ') || 'no answer';
  };
}

const bigNote = words(9_500_000);
const record10 = person({ note: 'x'.repeat(10_000_000) });
const tags2M = (() => `{"pid":"${pid()}","tags":[${'"a",'.repeat(2_000_000)}"b"]}`)();

export const CASES: readonly Case[] = [
  // Single large records.
  ...each('16.1 note of 9.5 MB of one-letter words', bytes, '$/record/Person', () =>
    person({ note: bigNote }),
  ),
  ...each('16.1 the same, curated and audited', bytes, '$/curated/record/Person', () =>
    person({ note: bigNote }),
  ),
  ...each('10 MB string', bytes, '$/record/Person', () => person({ note: 'x'.repeat(10_000_000) })),
  {
    name: '10 MB string, only checked',
    size: bytes(record10),
    run: post('/sqlite/validate/record/Person', record10),
  },
  ...each('2 million tags', bytes, '$/record/Person', () => tags2M),
  {
    name: '2 million numbers where strings are expected',
    size: 10 * MIB,
    run: post('/sqlite/record/Person', `{"pid":"ex:n","tags":[${'1.5,'.repeat(2_400_000)}1]}`),
  },
  {
    name: '300,000 unknown slots',
    size: 6_000_000,
    run: post(
      '/sqlite/record/Person',
      `{"pid":"ex:u",${Array.from({ length: 300_000 }, (_, n) => `"slot_${n}":1`).join(',')}}`,
    ),
  },
  { name: '5 million brackets', size: 5_000_000, run: post('/sqlite/record/Person', '['.repeat(5_000_000)) },
  {
    name: '10 MB of JSON that ends too early',
    size: 10 * MIB,
    run: post('/sqlite/record/Person', record10.slice(0, -2)),
  },
  {
    name: '10 MB that is not UTF-8',
    size: 10 * MIB,
    run: post(
      '/sqlite/record/Person',
      Buffer.concat([Buffer.from(record10.slice(0, -2)), Buffer.from([0xff])]),
    ),
  },
  {
    name: 'compressed bomb (1 GB of gzip)',
    size: MIB,
    run: post('/sqlite/record/Person', gzipSync(Buffer.alloc(2 ** 30, 'x')), {
      headers: { 'content-encoding': 'gzip' },
    }),
  },
  {
    name: 'compressed bomb (brotli)',
    size: 10 * MIB,
    run: post('/sqlite/record/Person', brotliCompressSync(Buffer.alloc(2 ** 28, 'x')), {
      headers: { 'content-encoding': 'br' },
    }),
  },
  // Turtle.
  {
    name: '16.3 a prefix of 60 KB used 5,000 times',
    size: 94_000,
    run: post(
      '/sqlite/record/Person?format=ttl',
      `@prefix p: <https://example.org/${'x'.repeat(60_000)}> .\n${'p:a p:b p:c .\n'.repeat(5_000)}`,
      { type: 'text/turtle' },
    ),
  },
  ...each('190,000 triples of Turtle', bytes, '$/record/Person?format=ttl', () => triples(190_000), {
    type: 'text/turtle',
  }),
  {
    name: '10 MB of Turtle with a string of 10 MB',
    size: 10 * MIB,
    run: post(
      '/sqlite/record/Person?format=ttl',
      `${TURTLE}${pid()} a ex:Person ; ex:note "${'x'.repeat(10_000_000)}" .`,
      { type: 'text/turtle' },
    ),
  },
  // Many records.
  ...each('16.5 9,999 inlined objects', bytes, '$/record/Person', () => inlined(9999)),
  ...each('16.5 60,000 inlined objects', bytes, '$/record/Person', () => inlined(60_000)),
  ...each('16.5 100,000 references', bytes, '$/record/Person', () => references(100_000)),
  ...each('16.5 700,000 references', bytes, '$/record/Person', () => references(700_000)),
  ...each(
    '16.5 atomic batch of 10,000',
    bytes,
    '-/$/records/Person?atomic=true',
    () => lines(10_000, (n) => ({ pid: pid('at'), name: `person ${n}`, note: 'x'.repeat(500) })),
    NDJSON,
  ),
  ...each(
    'batch of 10,000',
    bytes,
    '-/$/records/Person',
    () => lines(10_000, (n) => ({ pid: pid('ba'), name: `person ${n}`, note: 'x'.repeat(500) })),
    NDJSON,
  ),
  ...each(
    'atomic batch of 10,000, curated and audited',
    bytes,
    '-/$/curated/records/Person?atomic=true',
    () => lines(10_000, (n) => ({ pid: pid('cu'), name: `person ${n}`, note: 'x'.repeat(500) })),
    NDJSON,
  ),
  {
    name: '16.8 4.7 million lines of {}',
    size: 9_500_000,
    run: post('/-/sqlite/records/Person', '{}\n'.repeat(3_100_000), NDJSON),
  },
  {
    name: '16.8 10,000 objects with 20 faults each',
    size: 3_000_000,
    run: post(
      '/-/sqlite/records/Person',
      lines(10_000, (n) => Object.fromEntries(Array.from({ length: 20 }, (_, m) => [`no${n}_${m}`, 1]))),
      NDJSON,
    ),
  },
  {
    name: '16.8 the same, four at once',
    size: 12_000_000,
    run: async ({ service }) => {
      const body = lines(10_000, (n) =>
        Object.fromEntries(Array.from({ length: 20 }, (_, m) => [`no${n}_${m}`, 1])),
      );
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() =>
          service.send('POST', '/-/sqlite/records/Person', { token: 'curator', body, ...NDJSON }),
        ),
      );
      return answers.map(({ status }) => status).join(', ');
    },
  },
  {
    name: '16.15 40 strings of 249,000 characters against a pattern',
    size: 40 * 249_000,
    run: post(
      '/-/sqlite/records/Person',
      lines(40, () => ({ pid: pid(), code: ['abc '.repeat(62_250)] })),
      NDJSON,
    ),
  },
  {
    name: '16.15 one record with 40 of them',
    size: 40 * 249_000,
    run: post(
      '/sqlite/record/Person',
      person({ code: Array.from({ length: 40 }, (_, n) => `${'abc '.repeat(62_000)}${'b'.repeat(n + 1)}`) }),
    ),
  },
  // Searches.
  {
    name: '16.4 10 MB of random Han characters, and the index behind it',
    size: bytes(person({ note: han(10) })) + 3 * 3_300_000,
    run: (context) => post('/sqlite/curated/record/Person', person({ note: han(3_300_000) }))(context),
    after: 20_000,
  },
  {
    name: '16.7 matching %a_a_…p% over 10 MB',
    size: 0,
    prepare: (context) => post('/sqlite/curated/record/Person', person({ note: words(9_500_000) }))(context),
    run: ({ service }) =>
      service.send('GET', `/sqlite/curated/records/p/?matching=%25${'a_'.repeat(200)}p%25`, {
        token: 'curator',
      }),
  },
  {
    name: '16.7 matching with a hit in 10 MB',
    size: 0,
    run: ({ service }) =>
      service.send('GET', '/sqlite/curated/records/p/?size=1&matching=%25a%20a%20a%20a%25', {
        token: 'curator',
      }),
  },
  {
    name: '16.7 30,000 characters of pattern',
    size: 0,
    run: ({ service }) =>
      service.send('GET', `/sqlite/records/p/?matching=${'a'.repeat(30_000)}`, { token: 'curator' }),
  },
  // Reads of large records.
  ...BACKENDS.map(
    (backend): Case => ({
      name: `read a record of 10 MB (${backend})`,
      size: 10_000_000,
      prepare: ({ service }) =>
        service.send('POST', `/${backend}/curated/record/Person`, {
          token: 'curator',
          body: JSON.stringify({ pid: 'ex:read', tags: Array.from({ length: 800_000 }, (_, n) => `t${n}`) }),
        }),
      run: ({ service }) =>
        service.send('GET', `/${backend}/curated/record?pid=ex:read`, { token: 'curator' }),
    }),
  ),
  {
    name: 'read it as Turtle',
    size: 10_000_000,
    run: ({ service }) =>
      service.send('GET', '/sqlite/curated/record?format=ttl&pid=ex:read', { token: 'curator' }),
  },
  {
    name: 'read it with gzip',
    size: 10_000_000,
    run: ({ service }) =>
      service.send('GET', '/sqlite/curated/record?pid=ex:read', {
        token: 'curator',
        headers: { 'accept-encoding': 'gzip' },
      }),
  },
  ...[
    ['page with a record of 9 MB and what it refers to', 'records/p/Person?page=1&size=10&expand=knows'],
    ['the same as a graph', 'records/p/Person?page=1&size=10&expand=knows&shape=graph'],
    ['the same with some of its slots', 'records/p/Person?page=1&size=10&expand=knows&fields=tags'],
    ['record with what refers to it, one of 9 MB', 'record?pid=ex:met&expand=%5Eknows'],
  ].map(
    ([name = '', path]): Case => ({
      name,
      size: 9_000_000,
      prepare: async ({ service }) => {
        const knows = Array.from({ length: 90_000 }, (_, n) => `ex:met-${n}`);
        const wide = { pid: 'ex:wide', knows: ['ex:met', ...knows], tags: Array(1_200_000).fill('tag') };
        for (const json of [{ pid: 'ex:met' }, wide]) {
          const body = JSON.stringify(json);
          const answer = await service.send('POST', '/wide/curated/record/Person', {
            token: 'curator',
            body,
          });
          if (answer.status !== 200) throw new Error(answer.text);
        }
      },
      run: ({ service }) => service.send('GET', `/wide/curated/${path}`, { token: 'curator' }),
    }),
  ),
  {
    name: 'record with 16 short ones and 30 of 9 MB that it refers to',
    size: 9_000_000,
    prepare: async ({ service }) => {
      const knows = Array.from({ length: 46 }, (_, n) => `ex:known-${n}`);
      const people = knows.map((pid, n) => ({ pid, ...(n >= 16 && { note: 'x'.repeat(9_000_000) }) }));
      for (const json of [...people, { pid: 'ex:knowing', knows }])
        await service.send('POST', '/wide/curated/record/Person', {
          token: 'curator',
          body: JSON.stringify(json),
        });
    },
    run: ({ service }) =>
      service.send('GET', '/wide/curated/record?pid=ex:knowing&expand=knows', { token: 'curator' }),
  },
  {
    name: 'titles of the same records',
    size: 9_000_000,
    run: post(
      '/-/wide/titles',
      JSON.stringify({ pids: Array.from({ length: 500 }, (_, n) => `ex:known-${n % 46}`) }),
    ),
  },
  // Schemas.
  ...Object.entries({
    classes: repeated(40_000, (n) => `  C${n}: {is_a: Thing}`),
    'unknown keys': repeated(30_000, (n) => `  C${n}: {no_key_${n}: 1}`),
    'unknown slots': `${repeated(12_000, (n) => `  C${n}: {slots: [no_slot_${n}]}`)}slots:\n${repeated(12_000, (n) => `  a_slot_${n}: {}`)}`,
    comments: '# x\n'.repeat(190_000),
    'one description': `description: "${'x '.repeat(450_000)}"\n`,
  }).map(
    ([name, more]): Case => ({
      name: `rehearsal of a schema of 1 MB: ${name}`,
      size: 1_000_000,
      run: post('/-/wide/rehearse', JSON.stringify({ schema: SCHEMA + more })),
    }),
  ),
  {
    name: 'schema change with 30 refusals of 2 MB',
    size: 60_000_000,
    prepare: async ({ service }) => {
      for (let n = 0; n < 30; n++) {
        const pid = `ex:refused-${n}`;
        const sent = { token: 'curator', body: JSON.stringify({ pid, note: words(2_000_000) }) };
        await service.send('POST', '/mend/record/Person', sent);
        const item = await service.send('GET', `/-/mend/review/item?label=curator&pid=${pid}`, {
          token: 'curator',
        });
        const [, digest] = /"digest":"(\w+)"/.exec(item.text) ?? [];
        const body = JSON.stringify({ label: 'curator', pid, digest, decision: 'reject', reason: 'no' });
        await service.send('POST', '/-/mend/review/decisions', { token: 'curator', body });
      }
    },
    run: async ({ service }) => {
      const text = readFileSync(join(import.meta.dirname, 'schema.yaml'), 'utf8');
      const schema = text.replace('note,', 'remark,').replace('note: {}', 'remark: { aliases: [note] }');
      const tried = await post('/-/mend/rehearse', JSON.stringify({ schema }), { token: 'admin' })({
        service,
        store: '',
      });
      const [, id] = /"id":"([^"]+)"/.exec(tried.text) ?? [];
      return post(`/-/mend/rehearsals/${id}/switch`, '{}', { token: 'admin' })({ service, store: '' });
    },
  },
  // Histories.
  {
    name: 'export of 60 records that refer to each other, each with all that it leads to',
    size: 0,
    prepare: ({ service }) =>
      service.send('POST', '/-/sqlite/curated/records/Person', {
        token: 'curator',
        type: 'application/x-ndjson',
        body: mutual(60),
      }),
    run: ({ service }) =>
      service.send('GET', '/-/sqlite/curated/export?expand=knows%2B', { token: 'curator' }),
  },
  {
    name: '16.16 history of 60 versions of 2 MB',
    size: 0,
    prepare: async ({ service }) => {
      for (let n = 0; n < 60; n++)
        await service.send('POST', '/sqlite/curated/record/Person', {
          token: 'curator',
          body: JSON.stringify({ pid: 'ex:h', note: `${n} ${'x'.repeat(2_000_000)}` }),
        });
    },
    run: ({ service }) => service.send('GET', '/-/sqlite/history?pid=ex:h', { token: 'curator' }),
  },
  {
    name: '16.16 the same in pages',
    size: 0,
    run: ({ service }) => service.send('GET', '/-/sqlite/history?pid=ex:h&size=10', { token: 'curator' }),
  },
  {
    name: '16.16 history of the configuration: 5,000 tokens, 42 edits',
    size: 0,
    prepare: async ({ service }) => {
      for (let n = 0; n < 42; n++) {
        const representation = String(n).padStart(64, '0');
        const body = JSON.stringify({ name: 'edited', representation });
        const { status, text } = await service.send('PUT', '/admin_tokens/edited', { token: 'admin', body });
        if (status > 201) throw new Error(text);
      }
    },
    run: ({ service }) => service.send('GET', '/-/history', { token: 'admin' }),
  },
  // Zones.
  {
    name: '16.18 2,000 first writes into new zones',
    size: 0,
    run: async ({ service }) => {
      const statuses = new Map<number, number>();
      let next = 0;
      const writer = async () => {
        for (let n = next++; n < 2000; n = next++) {
          const { status } = await service.send('POST', `/zones/record/Person`, {
            token: `t${n}`,
            body: person({ name: 'x' }),
          });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: 20 }, writer));
      return [...statuses].map(([status, n]) => `${n} x ${status}`).join(', ');
    },
  },
  {
    name: 'a store that 3,000 clients wait for',
    size: 0,
    run: async (context) => {
      const { service } = context;
      const path = '/-/sqlite/changes?since=now&wait=60';
      const waiting: Promise<Answer>[] = [];
      for (let n = 0; n < 3000; n++) {
        waiting.push(service.send('GET', path, { token: 'curator' }));
        // More of one client would be refused.
        if (n % 10 === 9) await delay(20);
      }
      await delay(2000);
      await post('/sqlite/curated/record/Person', person({ name: 'x' }))(context);
      const answers = await Promise.all(waiting);
      return `${answers.filter(({ status, text }) => status === 200 && text.includes('"pid"')).length} woken`;
    },
  },
  {
    name: '16.14 another process holds the lock for 5 s',
    size: 0,
    run: async ({ service, store }) => {
      const database = new DatabaseSync(`${store}/accession.db`);
      database.exec('BEGIN IMMEDIATE');
      const answer = service.send('POST', '/sqlite/curated/record/Person', {
        token: 'curator',
        body: person({ name: 'x' }),
      });
      await delay(5000);
      database.exec('COMMIT');
      database.close();
      return answer;
    },
  },
  // Memory that strangers fill.
  {
    name: '16.2 400 bodies of 10 MB that stop, without a token',
    size: 0,
    run: stoppingClients(400, undefined),
    after: 3000,
  },
  { name: '16.2 the same with a token', size: 0, run: stoppingClients(400, 'curator'), after: 3000 },
];
