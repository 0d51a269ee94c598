/**
 * Who may request what: every endpoint by the need of its row, for callers with every mode. For tokens in `test/api/permissions.test.ts`;
 * modules have callers of their own.
 */
import assert from 'node:assert/strict';
import { answersHead, type Need } from '../../src/core/http/endpoint.ts';
import type { TestService } from './app.ts';
import { ENDPOINTS, urlOf } from './endpoints.ts';

/** What a mode grants: read curated, read own zone, write own zone, curate. */
export const MODES: Readonly<Record<string, string>> = {
  READ_CURATED: 'r...',
  READ_COLLECTION: 'rz..',
  WRITE_COLLECTION: 'rzw.',
  READ_SUBMISSIONS: '.z..',
  WRITE_SUBMISSIONS: '.zw.',
  WRITE_INCOMING: '.zw.',
  SUBMIT: 'r.w.',
  SUBMIT_ONLY: '..w.',
  NOTHING: '....',
  CURATOR: 'rzwc',
};

/** The token of the matrix, or what is sent instead of one. */
export type Caller = {
  readonly token?: string;
  readonly mode: string;
  /** A person is known, and has the session that the need `person` is about. A shared link is no user's. */
  readonly as: 'known' | 'person' | 'shared' | 'unknown' | 'nobody' | 'admin';
};

/** The status if the caller is refused; undefined if the request is looked at. */
function refusalOf(need: Need, { token, mode, as: given }: Caller): 400 | 401 | 403 | undefined {
  if (given === 'shared' && ['curate', 'steward', 'user', 'reader'].includes(need)) return 403;
  const as = given === 'person' || given === 'shared' ? 'known' : given;
  const [readCurated, readZone, writeZone, curate] = [...mode].map((letter) => letter !== '.');
  if (need === 'public') return undefined;
  if (need === 'me') return token === 'stranger' ? 401 : undefined;
  if (need === 'secret' || need === 'person') return 401;
  // Which token it needs is known with the body (`modes.test.ts`).
  if (need === 'maintenance') return as === 'nobody' ? 400 : undefined;
  if (need === 'admin') return as === 'admin' ? undefined : 401;
  if (need === 'steward') {
    if (as === 'known') return curate ? undefined : 403;
    return as === 'admin' ? undefined : 401;
  }
  if ((need === 'schema' || need === 'curatedOrAdmin') && as === 'admin') return undefined;
  // As in the peer: without a token, the default token is asked for.
  if (need === 'reload' && as === 'nobody') return 403;
  if (as === 'nobody')
    return ['curate', 'user', 'reader'].includes(need) ? 401 : need === 'known' ? undefined : 403;
  if (as !== 'known') return 401;
  const isAllowed = {
    read: readCurated || readZone,
    schema: readCurated || readZone,
    reader: readCurated || readZone,
    choose: readCurated || readZone || writeZone,
    curated: readCurated,
    curatedOrAdmin: readCurated,
    zone: readZone,
    write: writeZone,
    answer: readZone && writeZone,
    curate,
    reload: curate,
    known: true,
    user: true,
  }[need];
  return isAllowed ? undefined : 403;
}

/** Also with HEAD, where it is answered. */
const REQUESTS = ENDPOINTS.flatMap((endpoint) => {
  const methods = [endpoint.method, ...(answersHead(endpoint) ? ['HEAD'] : [])];
  return methods.map((method) => ({ ...endpoint, method, url: urlOf(endpoint) }));
});

/** Every caller makes every request, on one service after the other. */
export async function judge(services: readonly TestService[], callers: readonly Caller[]): Promise<void> {
  let turn = 0;
  for (const { need, method, path, url } of REQUESTS) {
    // An empty object is no body that changes anything, whether it is allowed or not.
    const json = ['GET', 'HEAD'].includes(method) ? undefined : {};
    for (const caller of callers) {
      const { token, as } = caller;
      // What people have of their own they may end, the session of the caller included: tests of the module do that.
      if (need === 'person' && as === 'person') continue;
      const service = services[turn++ % services.length]!;
      const { status, text } = await service.request(method, url, {
        ...(token && { token }),
        ...(json && { json }),
      });
      const expected = refusalOf(need, caller);
      const told = `${method} ${path} as ${token ?? 'nobody'}: ${status} ${text}`;
      if (expected !== undefined) assert.equal(status, expected, told);
      else assert.ok(status < 500 && status !== 401 && status !== 403, told);
    }
  }
}
