/**
 * Every difference between the peer and Accession that a request of the differential test shows, as the rows of the
 * table in `docs/compatibility.md`: each row has a name, and the predicate here tells which exchanges it covers. An
 * exchange that differs and is covered by none fails the test; so does a row that covers nothing any more.
 */

import { canonicalJson, isJsonObject, type JsonValue, parseJson } from '#linkml/json.ts';
import { withoutUnsetPolicies } from '../../src/core/config/policies.ts';
import type { Answer } from './exchange.ts';
import type { Step } from './step.ts';

export type Exchange = { readonly step: Step; readonly peer: Answer; readonly ours: Answer };

export type Difference = {
  /** The name of the row in the document. */
  readonly name: string;
  /** The releases of the peer that differ; both without it. */
  readonly only?: string;
  readonly covers: (exchange: Exchange) => boolean;
};

export const DIFFERENCES: readonly Difference[] = [
  {
    name: 'invalid-is-400',
    covers: (exchange) => turns(exchange, 422, 400) && takesRecord(exchange.step),
  },
  {
    name: 'schema-type-always',
    covers: ({ peer, ours }) => bothOk(peer, ours) && typesFilledIn(peer.body) === typesFilledIn(ours.body),
  },
  {
    name: 'server-information',
    covers: ({ step, peer, ours }) => step.path === '/server' && onlyAsExpected(peer.body, ours.body),
  },
  {
    name: 'page-beyond-the-end',
    covers: ({ step, peer, ours }) =>
      /\/p\//.test(step.path) &&
      ours.body === peer.body.replace(/"items":\[.*\],"page"/s, '"items":[],"page"'),
  },
  {
    name: 'collection-before-parameters',
    covers: (exchange) =>
      turns(exchange, 422, 404) && /^\/absent\/|\/records\/(p\/)?Unicorn/.test(exchange.step.path),
  },
  {
    name: 'label-on-demand',
    only: '6.3.3',
    covers: (exchange) => turns(exchange, 404, 200) && exchange.step.path.includes('/incoming/absent/'),
  },
  {
    name: 'default-token-validates',
    covers: (exchange) => turns(exchange, 401, 403) && exchange.step.group === 'validate',
  },
  {
    name: 'same-iri-replaces',
    covers: ({ step, peer, ours }) =>
      (peer.status === 500 && ours.status === 200 && /^other (spelling|class)$/.test(step.point)) ||
      /^after the other (spelling|class)$/.test(step.point),
  },
  {
    name: 'curation-formats',
    covers: ({ step, peer, ours }) =>
      step.group === 'curation' &&
      peer.contentType === 'application/json' &&
      ((/format=ttl/.test(step.path) && bothOk(peer, ours)) ||
        (/format=xml/.test(step.path) && ours.status === 422)),
  },
  {
    name: 'curated-delete-status',
    covers: ({ step, peer, ours }) =>
      step.method === 'DELETE' &&
      /\/curated\//.test(step.path) &&
      peer.status === 400 &&
      [401, 403, 404].includes(ours.status),
  },
  {
    name: 'curation-read-prefix',
    covers: (exchange) =>
      turns(exchange, 500, 400) && exchange.step.group === 'curation' && /pid=nope/.test(exchange.step.path),
  },
  {
    name: 'curation-read-empty-pid',
    covers: ({ step, ours }) =>
      step.group === 'curation' && /\bpid=(&|$)/.test(step.path) && ours.body === 'null',
  },
  {
    name: 'maintenance-closes',
    covers: (exchange) =>
      exchange.step.group === 'maintenance' &&
      (turns(exchange, 200, 503) || exchange.step.point === 'read afterwards'),
  },
  {
    name: 'maintenance-off-twice',
    covers: (exchange) => turns(exchange, 500, 200) && exchange.step.point === 'off again',
  },
  {
    name: 'malformed-is-400',
    covers: (exchange) => turns(exchange, 422, 400) && exchange.step.point === 'no JSON',
  },
  {
    name: 'put-collection-by-name',
    covers: (exchange) => turns(exchange, 405, 201) && exchange.step.method === 'PUT',
  },
  {
    name: 'get-admin-token',
    covers: (exchange) => turns(exchange, 405, 200) && exchange.step.path.startsWith('/admin_tokens/'),
  },
  {
    name: 'reserved-names',
    covers: (exchange) => turns(exchange, 201, 409) && exchange.step.point.startsWith('reserved name'),
  },
  {
    name: 'hash-checked',
    covers: (exchange) => turns(exchange, 201, 406) && exchange.step.point === 'malformed hash',
  },
  {
    name: 'mapping-checked',
    covers: (exchange) => turns(exchange, 500, 422) && exchange.step.point === 'unknown mapping',
  },
  {
    name: 'unset-keys',
    only: '6.6.4',
    covers: ({ peer, ours }) => bothOk(peer, ours) && withoutUnsetKeys(peer.body) === ours.body,
  },
  {
    name: 'stores-into-nothing',
    only: '6.6.4',
    covers: (exchange) => turns(exchange, 500, 404) && exchange.step.method === 'POST',
  },
  {
    name: 'no-inboxes',
    only: '6.6.4',
    covers: (exchange) =>
      exchange.step.path.startsWith('/apart/incoming/') &&
      (turns(exchange, 500, 404) || exchange.ours.body === '[]'),
  },
  {
    name: 'submitter-as-pair',
    only: '6.6.4',
    covers: ({ peer, ours }) =>
      ours.status === 200 &&
      /NCIT_C54269/.test(ours.body) &&
      (peer.status >= 400 ||
        typesFilledIn(peer.body.replaceAll(/\["config","([^"]*)"\]/g, '"$1"')) === typesFilledIn(ours.body)),
  },
  {
    name: 'no-name',
    only: '6.6.4',
    covers: ({ step, ours }) => /^\/collections\/(?:.+\/)?$/.test(step.path) && ours.status === 307,
  },
  {
    name: 'escaped-location',
    only: '6.6.4',
    covers: ({ peer, ours }) =>
      peer.status === ours.status &&
      peer.body === ours.body &&
      peer.location !== ours.location &&
      peer.location?.replaceAll('+', ' ') === decoded(ours.location, peer.location),
  },
];

/** Elements of the configuration without the keys of policies that set nothing, which the peer lists. */
function withoutUnsetKeys(body: string): string {
  if (!/^[[{]/.test(body)) return body;
  const value = parseJson(body);
  const without = (one: JsonValue) => (isJsonObject(one) ? withoutUnsetPolicies(one) : one);
  return canonicalJson(Array.isArray(value) ? value.map(without) : without(value));
}

/** Decoded as far as the other one is. */
function decoded(location: string | undefined, like: string | undefined): string | undefined {
  return like?.includes('%2F') ? location?.replaceAll('%20', ' ') : location && decodeURIComponent(location);
}

function turns({ peer, ours }: Exchange, theirs: number, mine: number): boolean {
  return peer.status === theirs && ours.status === mine && (mine < 400 || ours.body === 'error');
}

function bothOk(peer: Answer, ours: Answer): boolean {
  return peer.status === 200 && ours.status === 200;
}

/** The differences from a release. */
export function differencesFrom(release: string): Difference[] {
  return DIFFERENCES.filter(({ only }) => only === undefined || only === release);
}

/** The first difference that covers an exchange. */
export function nameOf(exchange: Exchange, differences: readonly Difference[]): string | undefined {
  return differences.find(({ covers }) => covers(exchange))?.name;
}

function takesRecord(step: Step): boolean {
  return step.method === 'POST' && /\/(validate|record)\//.test(step.path);
}

/** The release is that of the interface, and classes without endpoints are left out. */
function onlyAsExpected(theirs: string, mine: string): boolean {
  const known = theirs
    .replace(/"version":"6\.(?:3\.0|6\.4)"/, '"version":"6.3.3"')
    .replace(/"classes":\[[^\]]*\],"name":"(fresh|narrow)"/g, '"classes":["Person","Project"],"name":"$1"')
    .replace(
      /"classes":\[[^\]]*\],"name":"without"/,
      '"classes":["Thing","Person","Student"],"name":"without"',
    );
  return (
    mine === known ||
    mine === known.replace('["Person","Project"],"name":"fresh"', '["Person"],"name":"fresh"')
  );
}

/** The body with the same `schema_type` in each record at its top level. */
function typesFilledIn(body: string): string {
  if (!/^[[{]/.test(body)) return body;
  const filled = (value: JsonValue): JsonValue =>
    isJsonObject(value) ? { ...value, schema_type: '' } : value;
  const value = parseJson(body);
  if (Array.isArray(value)) return canonicalJson(value.map(filled));
  if (!isJsonObject(value)) return body;
  return canonicalJson(
    Array.isArray(value.items) ? { ...value, items: value.items.map(filled) } : filled(value),
  );
}
