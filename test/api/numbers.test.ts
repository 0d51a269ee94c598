/**
 * Every integer in a query has bounds in the API description, on both databases: the bounds themselves are answered, and what is beyond
 * them is refused. Other parameters take numbers for what they are to them: a revision, a text.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';
import { ENDPOINTS, pathOf, urlOf } from '../support/endpoints.ts';
import { organization, person } from '../support/people.ts';
import { ofTier } from '../support/tier.ts';

type Schema = { readonly type?: string; readonly minimum?: number; readonly maximum?: number };
type Parameter = { readonly in: string; readonly name: string; readonly schema: Schema };
type Operation = { readonly parameters?: readonly Parameter[] };
type Description = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/** Where 32 bits and 53 end, and more digits than a revision has. */
const ANY = ['2147483647', '2147483648', '4294967296', '9007199254740992', '9999999999999999'];
/** A request waits for as long as this says. */
const SECONDS = 'wait';

for (const type of ofTier(['sqlite', 'postgresql']))
  test(`integers of queries are answered up to their bounds (${type})`, async (t) => {
    const { request } = await testApp(t, {
      collections: { c: { backend: { type } } },
      tokens: { ann: { c: 'WRITE_COLLECTION' }, cleo: { c: 'CURATOR' } },
    });
    for (const [token, area, className, json] of [
      ['cleo', '/curated', 'Organization', organization('o')],
      ['cleo', '/curated', 'Person', person('p1', { affiliations: ['labid:o'] })],
      ['ann', '', 'Person', person('p1', { affiliations: ['labid:o'] })],
    ] as const)
      assert.equal((await request('POST', `/c${area}/record/${className}`, { token, json })).status, 200);
    const { paths } = (await request('GET', '/openapi.json', { token: ADMIN })).json<Description>();
    let bounded = 0;
    for (const endpoint of ENDPOINTS) {
      const { method, path } = endpoint;
      const described = path.replaceAll('{+', '{');
      // Those of some collections are described with their names.
      const operation = (paths[described] ?? paths[described.replace('{collection}', 'c')])?.[
        method.toLowerCase()
      ];
      if (!operation) continue;
      const token = endpoint.token === 'admin' ? ADMIN : endpoint.area === 'user' ? 'ann' : 'cleo';
      for (const { name, schema } of (operation.parameters ?? []).filter((one) => one.in === 'query')) {
        const { minimum, maximum } = schema;
        const send = async (value: string | number) => {
          const url = urlOf(endpoint, { pid: 'labid:o', [name]: String(value) }, [name]);
          const { status, text } = await request(method, url, { token });
          assert.ok(status < 500, `${method} ${url}: ${status} ${text}`);
          return { status, text: `${method} ${url}: ${status} ${text}` };
        };
        if (schema.type !== 'integer') {
          for (const value of ANY) await send(value);
          continue;
        }
        bounded += 1;
        assert.ok(minimum !== undefined && maximum !== undefined, `${method} ${pathOf(endpoint)}: ${name}`);
        const within = [minimum, ...ANY.map(Number).filter((value) => value > minimum && value < maximum)];
        for (const value of name === SECONDS ? [minimum] : [...within, maximum]) {
          const { status, text } = await send(value);
          if (method === 'GET') assert.ok(status !== 422 && status !== 401 && status !== 403, text);
        }
        if (method === 'GET')
          for (const value of [minimum - 1, maximum + 1]) {
            const { status, text } = await send(value);
            assert.equal(status, 422, text);
          }
      }
    }
    const all = Object.values(paths).flatMap((path) => Object.values(path));
    const integers = all.flatMap(({ parameters = [] }) =>
      parameters.filter((one) => one.in === 'query' && one.schema.type === 'integer'),
    );
    assert.equal(bounded, integers.length, 'all that the description has');
  });
