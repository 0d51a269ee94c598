/** A proxy between the service and PostgreSQL that sees what the service sends, and can hold up connections without closing them. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export type ProxiedConnection = {
  /** While it is true, nothing passes in either direction. What comes meanwhile is lost. */
  isHeldUp: boolean;
};

/**
 * @param inspect is called before the data of the service are passed on
 * @returns the URL of the database through the proxy
 */
export async function inspectingProxy(
  t: Pick<TestContext, 'after'>,
  url: string,
  inspect: (data: Buffer, connection: ProxiedConnection) => void,
): Promise<string> {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(url);
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    const connection: ProxiedConnection = { isHeldUp: false };
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        // The database is not informed that a client has gone whose network has vanished.
        if (!connection.isHeldUp) to.destroy();
      });
      from.on('data', (data) => {
        if (from === client) inspect(data, connection);
        if (!connection.isHeldUp) to.write(data);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  return proxied.href;
}
