/**
 * A small forge for tests: it repeats what a real one answered (see `forge-recording.ts`), and does what a healthy
 * one doesn't.
 */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { RECORDED_ORIGIN, type RecordedAnswer } from './forge-recording.ts';

const RECORDING = resolve(import.meta.dirname, '../fixtures/forge/answers.json');

/** How a call is answered instead of with what was recorded. */
export type Misbehaviour = (response: ServerResponse) => void;

export type ForgeDouble = {
  /** The address of its API. */
  readonly url: string;
  /** The token of a holder. */
  token(holder: string): string;
  /** From now on it answers as the real forge did in this scene, where that made a difference. */
  enter(scene: string): void;
  /** Answers all calls to a path in another way; without one, as recorded again. */
  misbehave(path: string, misbehaviour?: Misbehaviour): void;
  /** The calls that came in, as paths below the address of the API. */
  readonly calls: string[];
  close(): Promise<void>;
};

export async function startForgeDouble(): Promise<ForgeDouble> {
  const recording = JSON.parse(readFileSync(RECORDING, 'utf8')) as RecordedAnswer[];
  const misbehaviours = new Map<string, Misbehaviour>();
  const calls: string[] = [];
  let scene = '';

  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace('/api/v1/', '');
    const authorization = request.headers.authorization ?? '';
    calls.push(path);
    const misbehaviour = misbehaviours.get(path);
    if (misbehaviour) return misbehaviour(response);
    const matches = recording.filter(
      (answer) => authorization === `token ${tokenOf(answer.holder)}` && answer.path === path,
    );
    const answer =
      matches.find((match) => match.scene === scene) ?? matches.find((match) => match.scene === '');
    if (!answer) {
      response.writeHead(501).end(JSON.stringify({ message: `no recorded answer to ${path}` }));
      return;
    }
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, answer.headers).end(text.replaceAll(RECORDED_ORIGIN, origin));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: `${origin}/api/v1`,
    token: tokenOf,
    enter: (name) => {
      scene = name;
    },
    misbehave: (path, misbehaviour) => {
      if (misbehaviour) misbehaviours.set(path, misbehaviour);
      else misbehaviours.delete(path);
    },
    calls,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}

function tokenOf(holder: string): string {
  return `secret-of-${holder.replaceAll(' ', '-')}`;
}
