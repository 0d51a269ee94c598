import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';
import { shapesOf } from './shapes.ts';
import { type Schema, Values } from './values.ts';

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
type Body = { readonly content: Content };
type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: Body }>>>>;
  readonly components: { readonly requestBodies?: Readonly<Record<string, Body>> };
};

test('each media type of a body has documents that are made to be expensive', async (t) => {
  const { request } = await testApp(t, { collections: { c: { backend: { type: 'sqlite+stl' } } } });
  const description = (await request('GET', '/openapi.json', { token: ADMIN })).json<Description>();
  const values = new Values(description);
  const bodies = [
    ...Object.values(description.paths).flatMap((methods) =>
      Object.values(methods).map((it) => it.requestBody),
    ),
    ...Object.values(description.components.requestBodies ?? {}),
  ];
  const content = bodies.flatMap((body) => Object.entries(body?.content ?? {}));
  const types = new Set(content.map(([type]) => type));
  assert.ok(types.size > 3);
  for (const [type, { schema = {} }] of content) assert.ok(shapesOf(type, schema, values).length > 0, type);
  t.diagnostic([...types].join(', '));
});
