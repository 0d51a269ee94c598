/** The endpoints of a service with all modules, and requests of them for tests that send one of each. */
import type { Endpoint } from '../../src/core/http/endpoint.ts';
import { endpointsWith, MODULES } from '../../src/modules.ts';

export const ENDPOINTS = endpointsWith(MODULES);

/** By the names of parameters. */
export type Values = Readonly<Record<string, string>>;

/** For parameters in paths and queries, of a collection `c` with the example schema and a token `ann`. Others are `2`. */
const VALUES: Values = {
  collection: 'c',
  class: 'Person',
  label: 'ann',
  name: 'Person',
  pid: 'labid:p1',
  q: 'person',
  at: '2999-01-01T00:00:00Z',
  since: '0',
  wait: '0',
  expand: '^affiliations(Person)',
};

const sentValue = (name: string, values: Values) => values[name] ?? VALUES[name] ?? '2';

/** The path of a row with values for its parameters. */
export function pathOf({ path }: Pick<Endpoint, 'path'>, values: Values = {}): string {
  return path.replaceAll(/\{\+?(\w+)\}|\*/g, (_, name = '*') => sentValue(name, values));
}

/** The parameters that requests of a row need, and those that select a record. */
function neededParameters({ query = {} }: Pick<Endpoint, 'query'>): string[] {
  return Object.keys(query).filter((name) => query[name]?.required || name === 'pid' || name === 'label');
}

/** The URL of a request with the needed parameters of a row and further ones. */
export function urlOf(endpoint: Endpoint, values: Values = {}, further: readonly string[] = []): string {
  const names = new Set([...neededParameters(endpoint), ...further]);
  const query = new URLSearchParams(
    Object.fromEntries([...names].map((name) => [name, sentValue(name, values)])),
  );
  return pathOf(endpoint, values) + (names.size > 0 ? `?${query}` : '');
}

/**
 * GETs of a row: without parameters, and with each of the values of each parameter, alone and with the parameters that are needed.
 *
 * @param values of parameters, the usual one first; `2` for others
 */
export function readsOf(endpoint: Endpoint, values: Readonly<Record<string, readonly string[]>>): string[] {
  const { query = {} } = endpoint;
  const valuesOf = (name: string) => values[name] ?? ['2'];
  const path = pathOf(
    endpoint,
    Object.fromEntries(Object.keys(values).map((name) => [name, valuesOf(name)[0]!])),
  );
  const urlWith = (names: readonly string[], value: (name: string) => string) =>
    `${path}?${names.map((name) => `${name}=${encodeURIComponent(value(name))}`).join('&')}`;
  const needed = neededParameters(endpoint);
  const urls = [[], needed].flatMap((always) =>
    Object.keys(query).flatMap((name) =>
      valuesOf(name).map((value) =>
        urlWith([...new Set([...always, name])], (one) => (one === name ? value : valuesOf(one)[0]!)),
      ),
    ),
  );
  return [...new Set([path, ...urls])];
}

/** The example of the body of a row; an object without members if it has none. */
export function exampleOf({ body }: Endpoint): object {
  const media = typeof body === 'object' ? body.content['application/json'] : undefined;
  return (media as { readonly example?: object } | undefined)?.example ?? {};
}
