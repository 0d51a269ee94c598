import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '../../../test/support/endpoints.ts';
import type { Configuration } from '../config/config.ts';
import { collectionPaths } from './collection-paths.ts';
import type { Endpoint } from './endpoint.ts';

function named(collections: readonly string[], tokens: readonly string[] = []): Configuration {
  const elements = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, {}]));
  return {
    collections: elements(collections),
    tokens: elements(tokens),
    admin_tokens: {},
  } as unknown as Configuration;
}

/** The rest of its path is a parameter, with its slashes. */
const REST: Endpoint = { ...ENDPOINTS[0]!, method: 'GET', path: '/-/{collection}/page/{+pid}' };

const ROWS: readonly (readonly [names: readonly string[], request: string, routed: string])[] = [
  [['c'], 'GET /c/records/?x=a%2Fb', '/c/records/?x=a%2Fb'],
  [['c'], 'GET /c%2Frecords%2F?x=a%2Fb', '/c/records/?x=a%2Fb'],
  [['c'], 'GET /c/records/a%20b', '/c/records/a%20b'],
  [['c'], 'GET /c/records/p%2FPerson', '/c/records/p/Person'],
  [['a/b'], 'GET /a/b/records/', '/a%2Fb/records/'],
  [['a/b'], 'GET /a%2Fb/records/', '/a%2Fb/records/'],
  [['a/b'], 'HEAD /a/b/records/', '/a%2Fb/records/'],
  [['a/b'], 'GET /a/b/records/p', '/a%2Fb/records/p'],
  [['a/b', 'a'], 'GET /a/records/p/', '/a/records/p/'],
  [['a/b', 'a/b/c'], 'POST /a/b/c/record/Person', '/a%2Fb%2Fc/record/Person'],
  [['x y/ü'], 'GET /x%20y/%C3%BC/record?pid=ex:1', '/x%20y%2F%C3%BC/record?pid=ex:1'],
  [['a/b%2Fc'], 'GET /a/b%252Fc/records/', '/a%2Fb%252Fc/records/'],
  // Areas come before names, if their collection exists.
  [['c', 'c/curated'], 'GET /c/curated/records/', '/c/curated/records/'],
  [['c/curated'], 'GET /c/curated/records/', '/c%2Fcurated/records/'],
  [['c', 'c/incoming/z'], 'GET /c/incoming/z/record', '/c/incoming/z/record'],
  [['c/incoming/z'], 'GET /c/incoming/z/record', '/c%2Fincoming%2Fz/record'],
  [['c', 'c/validate'], 'POST /c/validate/record/Person', '/c/validate/record/Person'],
  [['a/b'], 'POST /a/b/incoming/z/record/Person', '/a%2Fb/incoming/z/record/Person'],
  // A name takes as much as it can.
  [['x', 'x/records/p'], 'GET /x/records/p/record', '/x%2Frecords%2Fp/record'],
  [['x', 'x/y'], 'GET /x/records/p/record', '/x/records/p/record'],
  [['c/record', 'c'], 'POST /c/record/record/Person', '/c%2Frecord/record/Person'],
  // Labels and classes are one segment.
  [['c', 'c/d'], 'GET /c/incoming/a%2Fb/records/', '/c/incoming/a/b/records/'],
  // Elements of the configuration.
  [['a/b'], 'GET /collections/a/b', '/collections/a%2Fb'],
  [['a'], 'DELETE /collections/a%2Fb', '/collections/a%2Fb'],
  [['a'], 'GET /collections/a/', '/collections/a/'],
  [['collections/foo'], 'GET /collections/foo/records/', '/collections%2Ffoo/records/'],
  [['tokens/foo'], 'GET /tokens/foo/records/', '/tokens%2Ffoo/records/'],
  [['tokens/foo'], 'GET /tokens/t%2Fu', '/tokens/t%2Fu'],
  [['tokens/foo'], 'PUT /tokens/new/one', '/tokens/new%2Fone'],
  // Own endpoints.
  [['a/b'], 'GET /-/a/b/history', '/-/a%2Fb/history'],
  [['a/b'], 'GET /-/a%2Fb/incoming/z/history', '/-/a%2Fb/incoming/z/history'],
  [['a', 'a/b'], 'GET /-/a/history/record', '/-/a/history/record'],
  [['a/history', 'a'], 'GET /-/a/history/history', '/-/a%2Fhistory/history'],
  [['a/b'], 'GET /-/desk/a%2Fb/browse', '/-/desk/a/b/browse'],
  // The rest of a path.
  [['c'], 'GET /-/c/page/ex:a', '/-/c/page/ex:a'],
  [['c'], 'GET /-/c/page/ex:a%2Fb', '/-/c/page/ex%3Aa/b'],
  [['a/b'], 'GET /-/a/b/page/https://example.org/x', '/-/a%2Fb/page/https%3A//example.org/x'],
  [['a/b'], 'GET /-/a/b/page/x:page/page', '/-/a%2Fb/page/x%3Apage/page'],
  [['a', 'a/page/b'], 'GET /-/a%2Fpage/b/page/x:y', '/-/a%2Fpage%2Fb/page/x%3Ay'],
  // Nothing to find.
  [['a/b'], 'GET /a/c/records/', '/a/c/records/'],
  [['a/b'], 'GET /a/b/records', '/a/b/records'],
  [['a/b'], 'GET /a/%zz/records/', '/a/%zz/records/'],
  [['a//b', '/a'], 'GET /a//b/records/', '/a%2F%2Fb/records/'],
  [['a//b', '/a'], 'GET //a/records/', '/%2Fa/records/'],
];

for (const [names, request, routed] of ROWS) {
  test(`${request} is routed as ${routed} if there are ${names.join(' and ')}`, () => {
    const [method = '', url = ''] = request.split(/ (.*)/s);
    assert.equal(collectionPaths([...ENDPOINTS, REST], () => named(names, ['t/u']))({ method, url }), routed);
  });
}

test('a changed configuration counts for the next request', () => {
  let names = ['a'];
  let configuration = named(names);
  const routed = collectionPaths(ENDPOINTS, () => configuration);
  assert.equal(routed({ url: '/a/b/records/' }), '/a/b/records/');
  names = ['a', 'a/b'];
  configuration = named(names);
  assert.equal(routed({ url: '/a/b/records/' }), '/a%2Fb/records/');
});
