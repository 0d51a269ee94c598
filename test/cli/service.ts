/** A service on a port, for commands that talk to one. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { accession, scratch } from './accession.ts';

export type Listening = TestService & { readonly url: string };

/** A service with the collections `lab` (files) and `copy` (a database), whose curator is `cur`. */
export async function listening(t: Pick<TestContext, 'after'>): Promise<Listening> {
  const service = await testApp(t, {
    collections: { lab: {}, copy: { backend: { type: 'sqlite' } } },
    tokens: {
      cur: { lab: 'CURATOR', copy: 'CURATOR' },
      ann: { lab: 'WRITE_COLLECTION', copy: 'WRITE_COLLECTION' },
    },
  });
  await service.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.server.address() as AddressInfo;
  return Object.assign(service, { url: `http://127.0.0.1:${port}` });
}

/** Such a service with some records, and a function that runs a line as its curator, in a folder. */
export async function laboratory(t: TestContext) {
  const service = await listening(t);
  const store = async (area: string, className: string, json: object, token = 'cur') => {
    const { status } = await service.request('POST', `/lab${area}/record/${className}`, { token, json });
    assert.equal(status, 200);
  };
  for (const area of ['/curated', '/incoming/ann']) {
    await store(area, 'Person', { ...person('b'), affiliations: ['labid:a'] });
    await store(area, 'Person', person('d'));
    await store(area, 'Organization', { pid: 'labid:a', name: 'A' });
    await store(area, 'Organization', { pid: 'labid:c', name: 'C' });
    await store(area, 'Project', { pid: 'labid:p', name: 'P' });
  }
  const cwd = scratch(t);
  const run = (line: string) =>
    accession(line.split(' '), { cwd, env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' } });
  return { service, run, cwd };
}
