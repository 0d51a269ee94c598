/**
 * The connections of a server, of which each address has a share. Beyond it, a connection is open for a moment: for a question about
 * the service itself, whose answer explains to an operator why others are refused, and for the refusal of anything else.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { TIMEOUT } from '../durations.ts';
import type { Proxies } from './client.ts';
import { Shares } from './shares.ts';

/** The most connections that are open for a moment: all, and those of an address. The oldest one makes room. */
const MOST_BRIEF = 256;
const MOST_BRIEF_OF_ADDRESS = 16;

/** Connections beyond a share: each is for one request about the service itself, and ends with its response. */
export const BRIEF = new WeakSet<Socket>();

/** Limits the connections of a server. A trusted proxy has the connections of its clients, so its share is all. */
export function limitConnections(server: Server, most: number, proxies: Proxies): void {
  const shares = new Shares(most);
  const open = new Map<Socket, string>();
  server.on('connection', (socket: Socket) => {
    const { address, isProxy } = proxies.endOf(socket);
    if (shares.take(address, isProxy ? 1 : undefined)) {
      socket.once('close', () => shares.leave(address));
      return;
    }
    const own = [...open].filter(([, other]) => other === address);
    if (own.length >= MOST_BRIEF_OF_ADDRESS) own[0]![0].destroy();
    else if (open.size >= MOST_BRIEF) [...open.keys()][0]!.destroy();
    BRIEF.add(socket);
    open.set(socket, address);
    const late = setTimeout(() => socket.destroy(), TIMEOUT.briefConnection);
    socket.once('close', () => {
      clearTimeout(late);
      open.delete(socket);
    });
  });
}
