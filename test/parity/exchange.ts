/** One request to one service, and its answer in the form in which two answers are compared. */
import { createHash } from 'node:crypto';
import { type BlankNode, type Literal, Parser, type Quad, type Term } from 'n3';
import type { JsonValue } from '#linkml/json.ts';
import { canonicalJson } from '#linkml/json.ts';
import type { Step } from './step.ts';

/** An answer after what may differ in every run (times, secrets, addresses) has been taken out. */
export type Answer = {
  readonly status: number;
  readonly contentType: string;
  readonly location: string | undefined;
  /** Canonical JSON text, or sorted N-Triples, or `error` for a JSON object with `detail` (its words are each service's own). */
  readonly body: string;
  /** The body as it came, for the reader of a failure. */
  readonly text: string;
};

/** Sends a step; redirects are answers, and are not followed. */
export async function send(step: Step, address: string): Promise<Answer> {
  const request = {
    method: step.method,
    headers: step.headers,
    body: step.body === undefined ? undefined : Buffer.from(step.body, 'utf8'),
    redirect: 'manual',
  } as const;
  // A kept connection may be closed by the service just as it is used again.
  const response = await fetch(address + step.path, request).catch(() => fetch(address + step.path, request));
  const text = await response.text();
  const contentType = (response.headers.get('content-type') ?? '').split(';')[0]!.trim();
  const location = response.headers.get('location')?.replace(address, '');
  return { status: response.status, contentType, location, body: comparable(text, contentType, step), text };
}

function comparable(text: string, contentType: string, step: Step): string {
  if (contentType === 'text/turtle') return triples(text);
  if (contentType !== 'application/json') return contentType;
  const body = JSON.parse(text) as JsonValue;
  if (isError(body)) return 'error';
  if (step.path === '/openapi.json') return 'API description';
  return volatileRemoved(canonicalJson(turtleInJson(body, step)));
}

function isError(body: JsonValue): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const { detail } = body as { detail?: JsonValue };
  if (typeof detail === 'string') return detail !== '';
  return Array.isArray(detail) && detail.length > 0 && detail.every((problem) => isProblem(problem));
}

function isProblem(problem: JsonValue): boolean {
  const { type, loc, msg } = problem as { type?: JsonValue; loc?: JsonValue; msg?: JsonValue };
  return typeof type === 'string' && Array.isArray(loc) && typeof msg === 'string';
}

/** Lists of Turtle documents, plain or in a page. */
function turtleInJson(body: JsonValue, step: Step): JsonValue {
  if (!/[?&]format=ttl/.test(step.path) || typeof body !== 'object' || body === null) return body;
  const each = (item: JsonValue) => (typeof item === 'string' ? triples(item) : item);
  if (Array.isArray(body)) return body.map(each);
  const { items } = body as { items?: JsonValue };
  return Array.isArray(items) ? { ...(body as object), items: items.map(each) } : body;
}

function volatileRemoved(json: string): string {
  return json
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00/g, '<now>')
    .replaceAll(/"representation":"[0-9a-zA-Z_-]{32,63}"/g, '"representation":"<generated>"');
}

/** The graph of a document as sorted N-Triples; blank nodes are named for what is said of them (no cycles among them). */
export function triples(document: string): string {
  const quads = new Parser().parse(document);
  const names = new Map<string, string>();
  const name = (node: BlankNode): string => {
    const known = names.get(node.value);
    if (known !== undefined) return known;
    names.set(node.value, '_:cycle');
    const said = quads
      .filter((quad) => quad.subject.equals(node))
      .map((quad) => `${quad.predicate.value} ${term(quad.object)}`);
    const label = `_:${createHash('sha1').update(said.sort().join('\n')).digest('hex').slice(0, 12)}`;
    names.set(node.value, label);
    return label;
  };
  const term = (value: Term): string => {
    if (value.termType === 'BlankNode') return name(value as BlankNode);
    return value.termType === 'Literal' ? literal(value as Literal) : `<${value.value}>`;
  };
  const line = (quad: Quad) => `${term(quad.subject)} <${quad.predicate.value}> ${term(quad.object)} .`;
  return quads.map(line).sort().join('\n');
}

/** Literals compare by value where XML Schema has several texts for one. */
function literal({ value, datatype, language }: Literal): string {
  const type = datatype.value.replace('http://www.w3.org/2001/XMLSchema#', 'xsd:');
  const text = /^xsd:(integer|float|double|decimal)$/.test(type)
    ? String(Number(value))
    : volatileRemoved(value).replace('+00:00', 'Z');
  return `${JSON.stringify(text)}^^${type}${language}`;
}
