/** The service that owns a store, and a process that only reads it, for tests. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type TestAnswer, type TestService, testApp } from '../support/app.ts';
import type { Values } from '../support/endpoints.ts';

export type Pair = { readonly owner: TestService; readonly follower: TestService };

const TOKENS = {
  nobody: { lab: 'NOTHING' },
  reader: { lab: 'READ_CURATED' },
  writer: { lab: 'WRITE_COLLECTION' },
  /** Its zone does not exist until it submits. */
  late: { lab: 'WRITE_COLLECTION' },
  curator: { lab: 'CURATOR' },
};

/** The values of parameters of requests. */
export const IN_PAIR: Values = { collection: 'lab', label: 'writer', name: 'reader', pid: 'labid:ada' };

/** Both, on a collection `lab` with a backend. */
export async function pair(t: TestContext, backend: string): Promise<Pair> {
  const owner = await testApp(t, { collections: { lab: { backend: { type: backend } } }, tokens: TOKENS });
  const follower = await testApp(t, {}, { store: owner.store, readOnly: true });
  return { owner, follower };
}

export function get(service: TestService, path: string, token = 'curator'): Promise<TestAnswer> {
  return service.request('GET', path, { token });
}

/** Makes a change, which has to succeed. */
export async function change(
  service: TestService,
  method: string,
  path: string,
  json?: unknown,
  token = 'curator',
): Promise<TestAnswer> {
  const answer = await service.request(method, path, { token, ...(json !== undefined && { json }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer;
}
