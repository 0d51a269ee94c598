/** A proxy on this machine that hands bytes on, and can be killed. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

type Proxy = {
  readonly url: string;
  /** Where connections lead that are opened from now on; undefined refuses them. */
  target: string | undefined;
  /** Ends all connections in the middle of what they carry, and refuses others for a time in ms. */
  goneFor(time: number): Promise<void>;
};

export async function openProxy(t: Pick<TestContext, 'after'>, target?: string): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const cut = () => {
    for (const socket of sockets) reset(socket);
  };
  const server = createServer((client) => {
    keep(client);
    if (proxy.target === undefined) return reset(client);
    const { hostname, port } = new URL(proxy.target);
    const far = keep(connect(Number(port), hostname));
    client.pipe(far).pipe(client);
    client.on('close', () => far.destroy());
    far.on('close', () => client.destroy());
  });
  const port = await freePort();
  const listen = () => once(server.listen(port, '127.0.0.1'), 'listening');
  await listen();
  t.after(() => {
    server.close();
    cut();
  });
  const proxy: Proxy = {
    url: `http://127.0.0.1:${port}`,
    target,
    async goneFor(time) {
      server.close();
      cut();
      await delay(time);
      await listen();
    },
  };
  return proxy;
}

/** Ends a connection without saying so. Node cannot reset one that it is ending already, and would never exit then. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
