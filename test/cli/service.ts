/** A service on a port, for commands that talk to one. */
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type TestService, testApp } from '../support/app.ts';

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
