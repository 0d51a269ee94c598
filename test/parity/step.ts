/** One request of the differential test, and short ways to write it down. */
import type { JsonValue } from '#linkml/json.ts';

export type Step = {
  /** The part of the interface that it is about; differences are listed by it. */
  readonly group:
    | 'seed'
    | 'read'
    | 'list'
    | 'page'
    | 'store'
    | 'validate'
    | 'delete'
    | 'route'
    | 'curation'
    | 'labels'
    | 'maintenance'
    | 'admin'
    | 'service'
    | 'names'
    | 'inboxes'
    | 'reloads'
    | 'configuration';
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** What it is about, for the reader of a failure. */
  readonly point: string;
};

export function get(group: Step['group'], path: string, secret: string | undefined, point: string): Step {
  return step(group, 'GET', path, secret, point);
}

export function remove(group: Step['group'], path: string, secret: string | undefined, point: string): Step {
  return step(group, 'DELETE', path, secret, point);
}

export function post(
  group: Step['group'],
  path: string,
  body: JsonValue,
  secret: string | undefined,
  point: string,
): Step {
  return step(group, 'POST', path, secret, point, json(body));
}

export function json(body: JsonValue): { body: string; headers: Record<string, string> } {
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

export function step(
  group: Step['group'],
  method: string,
  path: string,
  secret: string | undefined,
  point: string,
  more: { readonly body?: string; readonly headers?: Record<string, string> } = {},
): Step {
  // The name of the header that both services know.
  const authentication: Record<string, string> = secret === undefined ? {} : { 'x-dumpthings-token': secret };
  return { group, method, path, point, headers: { ...more.headers, ...authentication }, body: more.body };
}

export function search(query: readonly [string, string][]): string {
  return query.length === 0
    ? ''
    : `?${new URLSearchParams(query.map(([key, value]) => [key, value] as [string, string]))}`;
}
