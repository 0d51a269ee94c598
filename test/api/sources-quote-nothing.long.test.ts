/** Errors about sources that the service reads itself have nothing of the files in them: an administrator may not read them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { sharedSchemas } from '../../src/core/http/endpoints/schemas.ts';
import { ADMIN, LABORATORY, testApp } from '../support/app.ts';
import { SCHEMAS } from '../support/configuration-schemas.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { expectedOfModules } from '../support/module-files.ts';
import { type Cases, importing, ofCollections, replacing, type Sending } from '../support/sources.ts';

const CANARY = 'Zm9vYmFyQ0FOQVJZ';

/** A value that YAML reads as a date, and that is none. */
const CANARY_DATE = '7351-97-86';

/** Files of other programs, each with the canary where a careless message would quote it. */
const FILES: Readonly<Record<string, string>> = {
  environment: `SECRET=${CANARY}\nOTHER=${CANARY}\n`,
  users: `${CANARY}:x:0:0:root:/root:/bin/bash\n`,
  'object.json': JSON.stringify({ [CANARY]: CANARY }),
  'list.json': JSON.stringify([CANARY]),
  'broken.json': `{"${CANARY}": ${CANARY}`,
  'map.yaml': `${CANARY}: [${CANARY}\n`,
  'numbers.yaml': `${CANARY_DATE}: .inf\nb: ${CANARY_DATE}\n`,
  'graph.ttl': `@prefix a: <${CANARY}> . a:b ${CANARY} "c" .\n`,
  'table.csv': `${CANARY},other\n"${CANARY},1\n`,
};

const OF_COLLECTION = {
  schema: replacing((schema) => [{ schema }]),
  policy_info_location: replacing((policy_info_location) => [{ policy_info_location }]),
  'auth_sources[].url': replacing((url) =>
    [{}, { organization: 'o', team: 't' }].map((more) => ({
      auth_sources: [{ type: 'forgejo', url, organization: 'o', team: 't', ...more }],
    })),
  ),
};
const OF_MODULES = (await expectedOfModules<{ cases?: Cases; texts?: readonly string[] }>('sources')).map(
  ([, expected]) => expected,
);
/** Settings of modules that are names, identifiers and texts for people. */
const TEXTS = new Set(OF_MODULES.flatMap(({ texts = [] }) => texts));
const CASES: Cases = {
  ...ofCollections(OF_COLLECTION),
  'POST /-/schemas schema': async (source, { send }) => {
    await send('POST', '/-/schemas', { schema: importing(source) });
  },
  'POST /-/{collection}/policies/dry-run policy_info_location': async (source, { send }) => {
    await send('POST', '/-/c/policies/dry-run', { policy_info_location: source });
  },
  ...Object.assign({}, ...OF_MODULES.map(({ cases }) => cases)),
};

/** Keys with paths that the service does not read as documents: directories of the store, and where messages are sent. */
const NOT_DOCUMENTS = ['curated', 'incoming', 'audit_backends[].path', 'url'];

/** Names, identifiers, moments and texts for people. A key that is in none of these lists fails the test. */
const NO_SOURCES =
  `active after as_of author_id batch by class collection datacite default_policy default_token digest
  expires file if_curated incoming_label label matching name notes oai_dc pid policy_annotation_tag q reason representation
  schema_org snapshot submitter text until user_id verb base contact license publisher title instance_id organization repository team
  from to keep drop auth_source authorized_by submission_time_tag submitter_id_tag use_classes ignore_classes classes patches pids format
  identifying_slots views query if_match cursor`.split(/\s+/);

type Schema = { readonly [key: string]: unknown };
const SHARED: Schema = sharedSchemas(SCHEMAS);

/** The keys of a schema whose values are strings, and not some words alone. */
function* openStrings(schema: Schema, key = ''): Generator<string> {
  const { $ref, properties = {}, additionalProperties, items, type } = schema;
  const below = (name: string) => (key === '' ? name : `${key}.${name}`);
  if (typeof $ref === 'string') yield* openStrings(SHARED[$ref.split('/').at(-1)!] as Schema, key);
  for (const union of ['oneOf', 'anyOf', 'allOf'])
    for (const one of (schema[union] ?? []) as Schema[]) yield* openStrings(one, key);
  for (const [name, one] of Object.entries(properties as object))
    yield* openStrings(one as Schema, below(name));
  if (typeof additionalProperties === 'object')
    yield* openStrings(additionalProperties as Schema, below('*'));
  if (typeof items === 'object') yield* openStrings(items as Schema, `${key}[]`);
  if ([type].flat().includes('string') && !schema.enum && schema.const === undefined && key !== '') yield key;
}

/** The operations and keys of all bodies that are JSON, and the keys of a configuration file. */
function settings(): string[] {
  const bodies = ENDPOINTS.flatMap(({ method, path, body }) => {
    const json =
      typeof body === 'object' ? (body.content['application/json'] as Schema | undefined) : undefined;
    const schema = json?.schema as Schema | undefined;
    return schema ? [...openStrings(schema)].map((key) => `${method} ${path} ${key}`) : [];
  });
  return [
    ...new Set([...bodies, ...[...openStrings(SCHEMAS.file as Schema)].map((key) => `configuration ${key}`)]),
  ];
}

test('every setting that takes a string is one of a source with a case here, or known to be none', () => {
  const all = settings();
  assert.ok(all.length > 100, `${all.length} settings`);
  const unknown = all.filter((setting) => {
    const key = setting.split(' ').at(-1)!;
    if (
      setting in CASES ||
      TEXTS.has(setting) ||
      NOT_DOCUMENTS.some((one) => key === one || key.endsWith(`.${one}`))
    )
      return false;
    // Files are those of the operator, who starts the service. They have the same keys as the bodies, and a map of schemas.
    if (setting.startsWith('configuration '))
      return key !== 'schema_map.*' && all.every((other) => !key.endsWith(`.${other.split(' ').at(-1)}`));
    const names = key.split('.').map((name) => name.replaceAll('[]', ''));
    // A list without a key has pids.
    const last = names.findLast((name) => name !== '*')!;
    return last !== '' && !NO_SOURCES.includes(last);
  });
  assert.deepEqual(unknown, []);
  assert.deepEqual(
    Object.keys(CASES).filter((setting) => !all.includes(setting)),
    [],
  );
});

/** The same files at URLs. */
async function served(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const text = FILES[request.url!.split('/').find((part) => part in FILES) ?? ''];
    response.statusCode = text === undefined ? 500 : 200;
    response.setHeader('x-canary', CANARY);
    response.end(text ?? CANARY);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

for (const setting of ['paths', 'URLs'] as const)
  test(`no response, log line or state has anything of what is at ${setting} in settings`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'accession-canary-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    symlinkSync('/proc/self/environ', join(folder, 'link'));
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const { request } = await testApp(
      t,
      { collections: { c: { schema: LABORATORY } } },
      { logger, limits: { refusedTokens: 1_000_000 } },
    );
    const collection = (await request('GET', '/collections/c', { token: ADMIN })).json<object>();
    const server = await served(t);
    const sources =
      setting === 'URLs'
        ? ['environment', 'broken.json', 'map.yaml', 'numbers.yaml', 'graph.ttl', 'missing'].map(
            (name) => `${server}/${name}`,
          )
        : [
            ...Object.keys(FILES).map((name) => join(folder, name)),
            join(folder, 'link'),
            '/proc/self/environ',
          ];
    const answers: string[] = [];
    const send: Sending['send'] = async (method, url, json, token = ADMIN) => {
      const body = method === 'GET' || method === 'DELETE' ? {} : { json };
      const { status, text } = await request(method, url, { token, ...body });
      assert.ok(status < 500 || /"detail"/.test(text), `${method} ${url} ${JSON.stringify(json)}: ${text}`);
      answers.push(`${method} ${url} ${status}: ${text}`);
    };
    for (const source of sources)
      for (const one of new Set(Object.values(CASES))) await one(source, { send, collection });
    for (const url of ['/-/health', '/-/status', '/-/history', '/-/c/rehearsals']) await send('GET', url, {});
    const secrets = [CANARY, CANARY_DATE, process.env.PATH!.slice(0, 40)];
    const leaks = [...answers, ...lines].filter((text) => secrets.some((secret) => text.includes(secret)));
    assert.deepEqual(leaks, []);
    assert.ok(answers.length > 100, `${answers.length} answers`);
  });
