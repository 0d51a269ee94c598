/** `/openapi.json` and `/docs` (specification 1): what clients and people read about the API. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ApiDescription } from '../../src/core/http/openapi.ts';
import { openSchema, type Schema } from '../../src/core/schema/schema.ts';
import { ADMIN, LABORATORY, sharedApp, testApp } from '../support/app.ts';
import { SCHEMAS } from '../support/configuration-schemas.ts';
import { assertDescribed, describedValues, validatorOf } from '../support/described-values.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { openElements } from '../support/open-text.ts';
import { person } from '../support/people.ts';
import { longTest, test } from '../support/tier.ts';

const INFORMATION = { version: '0.0.0', rootPath: '', administration: { schemas: SCHEMAS } };

type Operation = {
  operationId: string;
  requestBody?: { $ref: string };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
};
type Api = {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object & { title?: string; description?: string }>;
    requestBodies: Record<string, { content: Record<string, { example?: unknown }> }>;
  };
};

const CONFIGURATION = {
  collections: { lab: {}, 'weitere-Gegenstände': { backend: 'sqlite', use_classes: ['Person', 'Project'] } },
  tokens: { nobody: {}, writer: { lab: 'WRITE_COLLECTION' }, curator: { lab: 'CURATOR' } },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

test('the description is valid OpenAPI 3.1', async () => {
  const service = await emptyService();
  const answer = await service.request('GET', '/openapi.json');
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/json']);
  const validator = new Validator();
  const { valid, errors } = await validator.validate(answer.json<Api>());
  assert.deepEqual(errors ?? [], []);
  assert.equal(valid, true);
  assert.equal(validator.version, '3.1');
});

test('every reference leads somewhere, and every operation has a name of its own', async () => {
  const service = await emptyService();
  const { text, ...answer } = await service.request('GET', '/openapi.json');
  const api = answer.json<Api>();
  for (const [, pointer] of new Set(text.matchAll(/"\$ref":"#\/([^"]+)"/g))) {
    const target = pointer
      ?.split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], api);
    assert.ok(target, pointer);
  }
  const ids = operationsOf(api).map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
});

test('clients find the classes of a collection in its literal paths, at once after a change', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const classesOf = async (collection: string) => {
    const { paths } = (await service.request('GET', '/openapi.json')).json<Api>();
    return Object.keys(paths).flatMap(
      (path) => new RegExp(`^/${collection}/record/([A-Z]\\w*)$`).exec(path)?.[1] ?? [],
    );
  };
  const { collections } = (await service.request('GET', '/server')).json<{
    collections: { classes: string[] }[];
  }>();
  assert.deepEqual(await classesOf('lab'), collections[0]?.classes);
  assert.deepEqual(await classesOf('weitere-Gegenstände'), collections[1]?.classes);
  const config = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<object>();
  await service.request('PUT', '/collections/lab', {
    token: ADMIN,
    json: { ...config, ignore_classes: ['Person'] },
  });
  assert.deepEqual(
    await classesOf('lab'),
    collections[0]?.classes.filter((name) => name !== 'Person'),
  );
  await service.request('DELETE', '/collections/lab', { token: ADMIN });
  assert.deepEqual(await classesOf('lab'), []);
});

test('all that is described is there, and so is every family of routes described', async (t) => {
  const service = await testApp(t, { collections: { lab: {} }, tokens: { nobody: {} } });
  const api = (await service.request('GET', '/openapi.json')).json<Api>();
  const described = operationsOf(api).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  for (const operation of described) {
    const [method = '', path = ''] = operation.split(' ');
    const url = path.replace('{class}', 'Person').replace(/\{\w+\}/g, 'x');
    const { status, text } = await service.request(method, url, { token: ADMIN });
    assert.ok(status !== 405 && !text.includes('"Not Found"'), `${operation}: ${status} ${text}`);
  }
  const routes = service.app.server.printRoutes({ commonPrefix: false });
  for (const [path, route] of [
    ['/lab/record', 'record'],
    ['/lab/curated/records/p/{class}', 'curated'],
    ['/lab/incoming/{label}/record', 'incoming'],
    ['/lab/incoming/', 'incoming'],
    ['/lab/validate/record/Person', 'validate'],
    ['/maintenance', 'maintenance'],
    ['/collections/{name}', 'collections'],
    ['/tokens', 'tokens'],
    ['/admin_tokens/{name}', 'admin_tokens'],
  ] as const) {
    assert.ok(routes.includes(route));
    assert.ok(
      described.some((operation) => operation.endsWith(` ${path}`)),
      path,
    );
  }
});

test('the description of an operation says which token it requires', async () => {
  const { paths } = (await (await emptyService()).request('GET', '/openapi.json')).json<Api>();
  for (const [path, method, words] of [
    ['/lab/curated/records/', 'get', 'Requires a curator token.'],
    ['/-/{collection}/settings', 'put', 'Requires a curator token, or an admin token.'],
    ['/tokens', 'get', 'Requires an admin token.'],
    ['/lab/records/', 'get', undefined],
    ['/server', 'get', undefined],
  ] as const)
    assert.equal((paths[path]![method] as { description?: string }).description, words, path);
});

test('classes are described in the words of the schema', async () => {
  const service = await emptyService();
  const { components } = (await service.request('GET', '/openapi.json')).json<Api>();
  const schema = await openSchema(LABORATORY);
  for (const { name, title, description } of schema.classes.values()) {
    const component = components.schemas[`${schema.name}.${name}`];
    assert.equal(component?.title, title ?? name);
    if (description) assert.equal(component?.description, description);
  }
});

test('the examples of all classes that have objects can be stored as they stand', async () => {
  const service = await emptyService();
  const { components } = (await service.request('GET', '/openapi.json')).json<Api>();
  const schema = await openSchema(LABORATORY);
  for (const [name, { content }] of Object.entries(components.requestBodies)) {
    const url = `/lab/record/${name.split('.').at(-1)}`;
    if (schema.classes.get(name.split('.').at(-1) ?? '')?.abstract) continue;
    for (const [type, { example }] of Object.entries(content)) {
      const payload = type.endsWith('json') ? JSON.stringify(example) : (example as string);
      const headers = { 'x-service-token': 'writer', 'content-type': type };
      const answer = await service.app.server.inject({ method: 'POST', url, headers, payload });
      assert.equal(answer.statusCode, 200, `${name}: ${payload}: ${answer.body}`);
    }
  }
});

test('responses match the description', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const api = (await service.request('GET', '/openapi.json')).json<Api>();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'api', components: api.components });
  const lab = { token: 'writer' };
  const curator = { token: 'curator' };
  const admin = { token: ADMIN };
  const requests = [
    ['POST', '/lab/record/Person', '/lab/record/Person', { ...lab, json: person('ann') }],
    ['POST', '/lab/record/Person', '/lab/record/Person', { ...lab, json: { pid: 'nowhere:x' } }],
    ['POST', '/lab/validate/record/Person', '/lab/validate/record/Person', { ...lab, json: person('ann') }],
    ['GET', '/lab/record?pid=labid:ann', '/lab/record', lab],
    ['GET', '/lab/record?pid=labid:nobody', '/lab/record', lab],
    ['GET', '/lab/record', '/lab/record', lab],
    ['GET', '/lab/records/', '/lab/records/', lab],
    ['GET', '/lab/records/Person?format=ttl', '/lab/records/{class}', lab],
    ['GET', '/lab/records/p/', '/lab/records/p/', lab],
    ['GET', '/lab/records/p/Person?page=0', '/lab/records/p/{class}', lab],
    ['POST', '/lab/curated/record/Person', '/lab/curated/record/Person', { ...curator, json: person('bob') }],
    ['GET', '/lab/curated/records/', '/lab/curated/records/', lab],
    ['GET', '/lab/incoming/', '/lab/incoming/', curator],
    ['GET', '/lab/incoming/writer/records/p/Person', '/lab/incoming/{label}/records/p/{class}', curator],
    ['DELETE', '/lab/incoming/writer/record?pid=labid:ann', '/lab/incoming/{label}/record', curator],
    ['DELETE', '/lab/record?pid=labid:ann', '/lab/record', lab],
    ['GET', '/server', '/server', {}],
    ['POST', '/maintenance', '/maintenance', { ...curator, json: { collection: 'lab', active: true } }],
    ['GET', '/lab/records/', '/lab/records/', lab],
    ['POST', '/maintenance', '/maintenance', lab],
    ['GET', '/collections', '/collections', admin],
    ['POST', '/tokens', '/tokens', { ...admin, json: { name: 'x', user_id: 'x', collections: {} } }],
    ['POST', '/tokens', '/tokens', { ...admin, json: { name: 'y', user: 'x' } }],
    ['GET', '/tokens', '/tokens', admin],
    ['DELETE', '/tokens/x', '/tokens/{name}', admin],
    ['GET', '/admin_tokens', '/admin_tokens', admin],
    ['GET', '/admin_tokens', '/admin_tokens', lab],
    ['GET', '/-/health', '/-/health', {}],
  ] as const;
  for (const [method, url, path, request] of requests) {
    const { status, json, text } = await service.request(method, url, request);
    const { $ref, content } = api.paths[path]?.[method.toLowerCase()]?.responses[status] ?? {};
    const name = $ref ? $ref.slice(2) : undefined;
    const described = name === undefined ? content : undefined;
    assert.ok(name ?? described, `${method} ${url}: status ${status} is not described: ${text}`);
    const schema = name
      ? { $ref: 'api#/components/schemas/Error' }
      : JSON.parse(JSON.stringify(described?.['application/json']?.schema).replaceAll('"#/', '"api#/'));
    const validate = ajv.compile(schema);
    assert.ok(validate(json()), `${method} ${url}: ${JSON.stringify(validate.errors)} in ${text}`);
  }
});

test('the description is made once, and not sent again to those who have it', async () => {
  const service = await emptyService();
  const first = await service.request('GET', '/openapi.json');
  const headers = { 'if-none-match': first.headers.etag ?? '' };
  const again = await service.request('GET', '/openapi.json', { headers });
  assert.deepEqual([again.status, again.text], [304, '']);
});

test('the description is kept until names, schemas or classes change, whatever else does', async () => {
  const [schema, again] = [await openSchema(LABORATORY), await openSchema(LABORATORY)];
  const other = await openSchema(resolve(import.meta.dirname, '../../packages/linkml/test/turtle.yaml'));
  const api = new ApiDescription(ENDPOINTS, INFORMATION);
  const described = async (...parts: readonly (readonly [string, typeof schema, readonly string[]])[]) =>
    api.document({
      collections: new Map(parts.map(([name, schema, classes]) => [name, { name, schema, classes }])),
    });
  const classes = schema.recordClasses;
  const first = await described(['a', schema, classes], ['b', schema, classes]);
  assert.equal(await described(['a', schema, [...classes]], ['b', schema, [...classes]]), first);
  assert.equal(await described(['a', again, classes], ['b', again, classes]), first);
  for (const changed of [
    [['a', schema, classes]],
    [
      ['a', schema, classes],
      ['c', schema, classes],
    ],
    [
      ['a', schema, classes],
      ['b', schema, classes.slice(1)],
    ],
    [
      ['a', schema, classes],
      ['b', other, classes],
    ],
    [
      ['b', schema, classes],
      ['a', schema, classes],
    ],
  ] as const)
    assert.notEqual(await described(...changed), first);
});

test('an edit of a token keeps the description', async (t) => {
  const { request, app } = await testApp(t, CONFIGURATION);
  const tag = async () => (await request('GET', '/openapi.json')).headers.etag;
  const first = await tag();
  const { collections } = app.registry.current();
  const json = { name: 'x', user_id: 'x', collections: { lab: { mode: 'READ_CURATED' } } };
  assert.equal((await request('POST', '/tokens', { token: ADMIN, json })).status, 201);
  const now = app.registry.current().collections;
  assert.notEqual(now, collections);
  for (const [name, { schema }] of now) assert.equal(schema, collections.get(name)?.schema);
  assert.equal(await tag(), first);
});

const served = (names: readonly string[], schema: Schema) =>
  new Map(names.map((name) => [name, { name, schema, classes: schema.recordClasses }]));
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);
const newDescription = () => new ApiDescription(ENDPOINTS, INFORMATION);

test('ten collections of a schema have the components of one, and the paths of their own', async () => {
  const schema = await openSchema(LABORATORY);
  const described = async (count: number): Promise<Api> => {
    const { bytes } = await newDescription().document({ collections: served(numbered(count), schema) });
    return JSON.parse(bytes.toString());
  };
  const [none, one, ten] = [await described(0), await described(1), await described(10)];
  assert.deepEqual(ten.components, one.components);
  const [common, ofOne, ofTen] = [none, one, ten].map(({ paths }) => Object.keys(paths).length);
  assert.equal(ofTen! - common!, 10 * (ofOne! - common!));
});

longTest('other requests have their turn while collections are described, once for all who ask', async () => {
  const schema = await schemaOf(60);
  const collections = served(numbered(20), schema);
  const api = newDescription();
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const [first, second] = await Promise.all([api.document({ collections }), api.document({ collections })]);
  clearImmediate(next);
  assert.equal(second, first);
  assert.ok(turns >= 10, `${turns} turns`);
  const { paths } = JSON.parse(first.bytes.toString()) as Api;
  for (const name of collections.keys()) assert.ok(paths[`/${name}/record/K59`], name);
});

longTest(
  'beyond 20 collections, or 2,000 classes of several, the paths of records have parameters',
  async () => {
    const schema = await openSchema(LABORATORY);
    const pathsOf = async (names: readonly string[], of = schema) => {
      const { bytes } = await newDescription().document({ collections: served(names, of) });
      return { size: bytes.length, paths: (JSON.parse(bytes.toString()) as Api).paths };
    };
    const twenty = await pathsOf(numbered(20));
    assert.ok(twenty.paths['/c19/record/Person'] && !twenty.paths['/{collection}/record/{class}']);
    const many = await pathsOf(numbered(21));
    assert.deepEqual(
      Object.keys(many.paths).filter((path) => path.startsWith('/c')),
      ['/collections', '/collections/{name}'],
    );
    const { parameters } = many.paths['/{collection}/record/{class}']!.post as unknown as {
      parameters: { name: string; description: string; schema: object }[];
    };
    const [collection, className] = parameters;
    assert.deepEqual([collection?.name, collection?.schema], ['collection', { type: 'string' }]);
    assert.match(collection?.description ?? '', /`\/-\/\{collection\}\/openapi\.json`/);
    assert.deepEqual([className?.name, className?.schema], ['class', { type: 'string' }]);
    // What a templated path has, each collection has.
    const templates = Object.keys(many.paths).filter((path) => path.startsWith('/{collection}/'));
    for (const path of templates) {
      const literal = path.replace('{collection}', 'c1');
      assert.ok(twenty.paths[literal] ?? twenty.paths[literal.replace('{class}', 'Person')], path);
    }
    assert.ok(templates.length >= 20);
    const thousand = await pathsOf(numbered(1000));
    assert.equal(thousand.size, many.size);
    assert.ok(thousand.size < 1024 * 1024, `${thousand.size} bytes`);

    const large = await schemaOf(1_100);
    assert.ok((await pathsOf(['c0'], large)).paths['/c0/record/K1099']);
    assert.ok((await pathsOf(['c0', 'c1'], large)).paths['/{collection}/record/{class}']);
  },
);

test('each of many collections has a document of its own, and other changes keep all of them', async (t) => {
  const names = ['a/b', 'sp ace', ...numbered(20)];
  const collections = Object.fromEntries(names.map((name) => [name, { use_classes: ['Person'] }]));
  const { request } = await testApp(t, { ...CONFIGURATION, collections: { ...collections, lab: {} } });
  const api = (await request('GET', '/openapi.json')).json<Api>();
  const validator = new Validator();
  const isValid = async (document: Api) => {
    const { errors } = await validator.validate(document);
    assert.deepEqual(errors ?? [], []);
    const ids = operationsOf(document).map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
  };
  await isValid(api);
  const ownTag = async (name: string) => {
    const url = `/-/${encodeURIComponent(name)}/openapi.json`;
    const answer = await request('GET', url);
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/json'], url);
    return { url, etag: answer.headers.etag ?? '', document: answer.json<Api>() };
  };
  for (const name of ['a/b', 'sp ace', 'c0', 'c5']) {
    const { document, url, etag } = await ownTag(name);
    assert.deepEqual(
      Object.keys(document.paths).filter((path) => /\/record\/[A-Z]/.test(path)),
      ['record', 'curated/record', 'incoming/{label}/record', 'validate/record'].map(
        (path) => `/${name}/${path}/Person`,
      ),
      name,
    );
    assert.ok(document.components.requestBodies['laboratory.Person']);
    const again = await request('GET', url, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    if (name !== 'c5') continue;
    await isValid(document);
    assert.equal((await request('HEAD', url)).headers.etag, etag);
  }
  assert.equal((await request('GET', '/-/a/b/openapi.json')).status, 200, 'slashes as they are');
  assert.equal((await request('GET', '/-/nowhere/openapi.json')).status, 404);

  const config = (await request('GET', '/collections/c6', { token: ADMIN })).json<object>();
  const replaced = { token: ADMIN, json: { ...config, use_classes: ['Project'] } };
  assert.equal((await request('PUT', '/collections/c6', replaced)).status, 201);
  const { document } = await ownTag('c6');
  assert.ok(document.paths['/c6/record/Project'] && !document.paths['/c6/record/Person']);
});

longTest(
  'documents of many collections are kept, in bounded memory, until what they are made of changes',
  async () => {
    const schema = await openSchema(LABORATORY);
    const again = await openSchema(LABORATORY);
    const api = newDescription();
    const all = (of: Schema) => [...served(numbered(30), of).values()];
    const first = await Promise.all(all(schema).map((one) => api.documentOf(one)));
    const whole = await api.document({ collections: served(numbered(30), schema) });
    assert.equal(await api.document({ collections: served(numbered(31), again) }), whole);
    assert.deepEqual(await Promise.all(all(again).map((one) => api.documentOf(one))), first);
    for (const [at, one] of all(again).entries()) assert.equal(await api.documentOf(one), first[at]);
    const [c0] = all(schema);
    const changed = await api.documentOf({ ...c0!, classes: ['Person'] });
    assert.notEqual(changed, first[0]);

    const small = new ApiDescription(ENDPOINTS, INFORMATION, 3 * first[0]!.bytes.length);
    const [a, ...others] = all(schema);
    const made = await small.documentOf(a!);
    assert.equal(await small.documentOf(a!), made);
    for (const one of others.slice(0, 3)) await small.documentOf(one);
    assert.notEqual(await small.documentOf(a!), made, 'it was discarded');
  },
);

/** A schema with this many classes of records, and one more. */
function schemaOf(classes: number): Promise<Schema> {
  const lines = numbered(classes).map((name) => `  ${name.replace('c', 'K')}: {is_a: Base}`);
  return openElements(`
classes:
  Base: {attributes: {pid: {identifier: true, range: uriorcurie}, title: {range: string}}}
${lines.join('\n')}
`);
}

test('another description is begun when the one before is done', async () => {
  const schema = await openSchema(LABORATORY);
  const api = new ApiDescription(ENDPOINTS, INFORMATION);
  const ended: string[] = [];
  const described = async (name: string) => {
    const collections = new Map([[name, { name, schema, classes: schema.recordClasses }]]);
    const { bytes } = await api.document({ collections });
    ended.push(name);
    return Object.keys((JSON.parse(bytes.toString()) as Api).paths);
  };
  const [a, b] = await Promise.all([described('a'), described('b')]);
  assert.deepEqual(ended, ['a', 'b']);
  assert.ok(a.includes('/a/record/Person') && !a.includes('/b/record/Person'));
  assert.ok(b.includes('/b/record/Person') && !b.includes('/a/record/Person'));
});

test('the documentation page and everything it loads come from the service', async () => {
  const service = await emptyService();
  const page = await service.request('GET', '/docs');
  assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
  assert.doesNotMatch(page.text, /https?:\/\//);
  assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'.*connect-src 'self'/);
  for (const [, asset] of page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)) {
    assert.equal((await service.request('GET', `/${asset}`)).status, 200, asset);
  }
  for (const asset of ['package.json', '..%2Fpackage.json', 'constructor']) {
    assert.equal((await service.request('GET', `/docs/${asset}`)).status, 404, asset);
  }
});

function operationsOf({ paths }: Api) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

test('null is accepted for optional slots, and the description says so', async () => {
  const service = await emptyService();
  const api = (await service.request('GET', '/openapi.json')).json<Api>();
  const isDescribed = validatorOf(api, 'components/schemas/laboratory.Person');
  const { properties, required } = api.components.schemas['laboratory.Person'] as unknown as {
    properties: Record<string, object>;
    required: string[];
  };
  for (const slot of Object.keys(properties)) {
    const json = { ...person('a'), [slot]: null };
    const { status, text } = await service.request('POST', '/lab/record/Person', { token: 'writer', json });
    const isOptional = !required.includes(slot) && slot !== 'schema_type';
    assert.equal(status, isOptional ? 200 : 400, `${slot}: ${text}`);
    assert.equal(isDescribed(json), isOptional, slot);
  }
});

test('elements of the configuration may leave out the name that is in the path, and hashes are described', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const api = (await service.request('GET', '/openapi.json')).json<Api>();
  const body = (path: string, method: string) =>
    validatorOf(
      api,
      `paths/${path.replaceAll('/', '~1')}/${method}/requestBody/content/application~1json/schema`,
    );
  for (const [json, named, unnamed] of [
    [{ representation: 'Ab'.repeat(32) }, 422, 201],
    [{ name: 'root', representation: '01'.repeat(32) }, 201, 201],
    [{ name: 'root', representation: 'secret' }, 406, 406],
    [{ name: 'root' }, 422, 422],
  ] as const) {
    const put = async (path: string) => (await service.request('PUT', path, { token: ADMIN, json })).status;
    assert.deepEqual([await put('/admin_tokens'), await put('/admin_tokens/root')], [named, unnamed]);
    assert.equal(body('/admin_tokens', 'put')(json), named === 201, JSON.stringify(json));
    assert.equal(body('/admin_tokens/{name}', 'put')(json), unnamed === 201, JSON.stringify(json));
  }
});

longTest(
  'values are described as they are accepted: words for booleans, names, orders and encodings',
  async (t) => {
    const service = await testApp(t, CONFIGURATION);
    const api = (await service.request('GET', '/openapi.json')).json<Api>();
    const { described, parameterOf } = describedValues(api);
    const bodyOf = (path: string, method: string) =>
      described('paths', path, method, 'requestBody', 'content', 'application/json', 'schema');
    const switched = bodyOf('/maintenance', 'post');
    for (const active of [
      true,
      'true',
      'oN',
      'No',
      'y',
      'F',
      '0',
      1,
      0,
      '',
      'nein',
      ' on',
      'on\n',
      2,
      0.5,
      -1,
    ]) {
      const json = { collection: 'lab', active };
      const { status } = await service.request('POST', '/maintenance', { token: 'curator', json });
      assert.equal(status, switched(json) ? 200 : 422, JSON.stringify(active));
    }
    const collection = { schema: LABORATORY, default_token: 'nobody' };
    const token = { user_id: 'u', collections: {} };
    for (const name of [
      'a',
      'a b',
      'a\u0000',
      '\u001f',
      'a\u007f',
      '\u009f',
      '\u00a0',
      '',
      'a\n',
      'a/b',
      '/a',
      'a/',
    ]) {
      for (const [kind, element] of [
        ['collections', { ...collection, curated: encodeURIComponent(name) || 'x' }],
        ['tokens', { ...token, representation: `secret-${encodeURIComponent(name)}` }],
      ] as const) {
        const json = { name, ...element };
        const { status, text } = await service.request('POST', `/${kind}`, { token: ADMIN, json });
        assert.equal(status, bodyOf(`/${kind}`, 'post')(json) ? 201 : 422, `${JSON.stringify(name)} ${text}`);
        if (name === '' || name.includes('/')) continue;
        const path = `/${kind}/${encodeURIComponent(name)}`;
        const isDescribed = parameterOf(`/${kind}/{name}`, 'put', 'name')(name);
        const put = await service.request('PUT', path, { token: ADMIN, json: element });
        if (!isDescribed) assert.equal(put.status, 422, path);
      }
    }
    const time = '2026-01-31T23:59:59';
    await assertDescribed(service, 'writer', [
      ['/-/lab/search', 'get', 'sort', ['pid', '-pid', '']],
      ['/lab/records/', 'get', 'at', ['1', '1.2', '', '1.', time, `${time}.1`, `${time}Z`, `${time}+0200`]],
      [
        '/lab/records/',
        'get',
        'at',
        ['2026-13-01T00:00:00', '2026-01-32T00:00:00', `${time}x`, '2026-01-31T'],
      ],
    ]);
  },
);

test('the description of a body says how Turtle is sent, and its example is accepted', async () => {
  const service = await emptyService();
  const api = (await service.request('GET', '/openapi.json')).json<Api>();
  const { content, description } = api.components.requestBodies['laboratory.Person'] as unknown as {
    content: Record<string, { example?: string }>;
    description: string;
  };
  assert.match(description, /Turtle \(`text\/turtle`, `format=ttl`\)/);
  const turtle = content['text/turtle']?.example ?? '';
  const status = async (query: string) =>
    (await service.request('POST', `/lab/record/Person${query}`, { token: 'writer', turtle })).status;
  assert.deepEqual(
    [await status(''), await status('?format=ttl'), await status('?format=json')],
    [200, 200, 400],
  );
});
