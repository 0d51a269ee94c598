/** A receiver of webhooks on this machine, which keeps what it is sent. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** The status of its answers, or of each. */
  answers: number | ((request: Received) => number | Promise<number>);
  /** More headers of its answers. */
  headers: Readonly<Record<string, string>>;
  /** The notices, in the order in which they came. */
  notices(): Notice[];
  /** Returns when it was sent so many requests. */
  until(count: number): Promise<void>;
  /** Ends all connections, answered or not, and refuses others for a time in ms, as if it was killed and started again. */
  goneFor(time: number): Promise<void>;
};

type Notice = { readonly pid: string; readonly kind: string; readonly revision: number };

export async function openReceiver(t: Pick<TestContext, 'after'>): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const one = { headers: request.headers, body };
    received.push(one);
    const { answers } = receiver;
    const status = typeof answers === 'number' ? answers : await answers(one);
    response.writeHead(status, { location: '/elsewhere', ...receiver.headers }).end();
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers: 200,
    headers: {},
    notices: () => received.map(({ body }) => JSON.parse(body).data as Notice),
    async until(count) {
      await eventually(`${count} requests`, () => received.length >= count);
    },
    async goneFor(time) {
      server.close();
      server.closeAllConnections();
      await delay(time);
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
  return receiver;
}
