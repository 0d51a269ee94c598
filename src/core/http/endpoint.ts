/**
 * The type of an endpoint: one row of the table that `endpointsWith` in `modules.ts` makes. Routes, 405s, the API description and the types of
 * requests and responses are projections of it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject, JsonText } from '#linkml/json.ts';
import type { Action } from '../collections/area.ts';
import { refusal } from '../json-schema.ts';
import type { Tag } from './openapi/tags.ts';
import type { Parameters } from './parameter.ts';
import type { Service } from './service.ts';

export type Call = {
  readonly service: Service;
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

export type Json = { readonly [key: string]: unknown };

/** A row of the table. */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parameters are in braces: `/-/{collection}/history`. The last one may be the rest of the path: `{+pid}`. */
  readonly path: string;
  /** Unique among the endpoints; with the names of collection and class it makes the operationId. */
  readonly id: string;
  /** Another tag is added to `TAGS`. */
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** The permission that its `enter` checks (`enter.ts`), and that `test/api/permissions.test.ts` tries with every kind of token. */
  readonly need: Need;
  /** The token that the need demands. */
  readonly token: TokenUse;
  /** The area that the endpoint is about, and what it does there. */
  readonly area?: AreaKind;
  readonly action?: Action;
  /** Whether the description has a path for each class, which clients read the classes of a collection from. */
  readonly literalClass?: true;
  /** Whether `If-Match` and `If-None-Match` are honored (`docs/http.md`). */
  readonly conditional?: true;
  /** The classes that `{class}` selects. */
  readonly classWords?: string;
  readonly query?: Parameters;
  /** Of a row that is not below `/-/`: the peer has no such endpoint, so that unknown parameters are refused. */
  readonly ours?: true;
  /** The request body: media type → media type object; `class` for one object of the class in the path. */
  readonly body?: { readonly content: Json; readonly limit?: number; readonly optional?: true } | 'class';
  /** Of a row with another method than GET, whether it leaves everything as it is; `validate` always does. */
  readonly changesNothing?: true;
  /** Of a row that changes nothing, whether it stores something nevertheless: a reload of policies, or what a rehearsal is about. */
  readonly writes?: true;
  /** Successful responses by status; `undefined` schema for one without a body. */
  readonly answers: Readonly<Record<number, Json>>;
  /** Statuses of refusals beyond those that follow from the rest of the row (see `statusesOf`). */
  readonly refusals?: readonly number[];
  /** Whether the query has secrets of another service, which no log may have: then logs have the path alone. */
  readonly secretQuery?: true;
  /** Left out of the description: the pages of the documentation, and an alias of an old client. */
  readonly undescribed?: true;
  /** The form of a read of records. Modules may add parameters to it (see {@link ReadExtension}). */
  readonly reads?: ReadForm;
  /** Answers a request: enter, read parameters, call one method, reply. */
  readonly handle: Handler;
};

/** The forms of reads: one record, all records, a page of them, and a stream. */
type ReadForm = 'record' | 'list' | 'page' | 'export';

/** The parameters that a module adds to reads. A read without any of them executes nothing of the module. */
export type ReadExtension = Readonly<Record<ReadForm, ExtendedRead>>;

export type ExtendedRead = {
  /** All parameters: those of the row, and further ones. */
  readonly query: Parameters;
  /** Responses in place of those of the row. */
  readonly answers?: Endpoint['answers'];
  /** Answers a read that has a further parameter. @param plain the handler of the row */
  handle(call: Call, plain: Handler): Promise<FastifyReply>;
};

/** Rehearses what a collection that is replaced means for its records. Without it, the parameters that ask for it are refused. */
export type Replacing = {
  /** The schema of a rehearsal in responses. */
  readonly response: Json;
  /**
   * @param body the collection with its name
   * @param author the name of the admin token
   * @returns the rehearsal for a dry run; undefined if the schema stays, if the collection does not run, and for a replacement
   * @throws ServiceError `schema_invalid`, and what keeps the collection from being replaced
   */
  rehearse(
    call: Call,
    body: JsonObject,
    author: string,
    wanted: { readonly dryRun: boolean; readonly ifValid: boolean },
  ): Promise<JsonText | undefined>;
};

/** A row as it is written. Its need comes with `replying`, or is that of the `enter` that `handle` calls. */
export type RowRest = Omit<Endpoint, 'method' | 'path' | 'id' | 'token'>;

/** A row whose need follows from its action and its area. */
type RowInArea = Omit<RowRest, 'need'> & {
  readonly need: 'area';
  readonly area: AreaKind;
  readonly action: Action;
};

/** Makes a row of the table, with what people look for first. */
export function row(
  method: Endpoint['method'],
  path: string,
  id: string,
  rest: RowRest | RowInArea,
): Endpoint {
  const need = rest.need === 'area' ? needInArea(rest.area, rest.action) : rest.need;
  return { ...rest, need, token: TOKENS[need], method, path, id };
}

/** A token is not read, may be left out for the default token, or is required; or an admin token is. */
type TokenUse = 'none' | 'optional' | 'required' | 'admin';

/** The permissions that endpoints need, beyond a valid token, and the token that each demands. */
const TOKENS = {
  /** Reads curated records or the own zone. */
  read: 'optional',
  /** Reads the schema: readers and administrators. */
  schema: 'optional',
  /** Chooses values: readers and submitters. */
  choose: 'optional',
  /** Reads curated records. */
  curated: 'optional',
  /** Reads curated records, or administers. */
  curatedOrAdmin: 'optional',
  /** Reads the own zone. */
  zone: 'optional',
  /** Writes into the own zone. */
  write: 'optional',
  /** Reads and writes the own zone. */
  answer: 'optional',
  curate: 'required',
  /** Curates or administers. */
  steward: 'required',
  /** Has any permission in the collection. */
  known: 'optional',
  /** Sends a token of the collection, since requests without one have no user. */
  user: 'required',
  /** Sends a token of the collection that reads curated records or its zone. */
  reader: 'required',
  admin: 'admin',
  public: 'none',
  /** Has a token of the service, or none. */
  me: 'optional',
  /** Curates, and reads policies again. */
  reload: 'optional',
  /** Curates the collection that the body names. */
  maintenance: 'required',
  /** Has a secret that was made for this request. Any token is refused. */
  secret: 'required',
  /** Has the session of a person. Tokens of the configuration and of forges are refused. */
  person: 'required',
} as const satisfies Readonly<Record<string, TokenUse>>;

export type Need = keyof typeof TOKENS;

/** A need as functions that enter declare it: `area` is what the action of the row needs in its area. */
export type DeclaredNeed = Need | RowInArea['need'];

/** What `area.require` demands (`enterArea`). */
function needInArea(area: AreaKind, action: Action): Need {
  if (area !== 'user') return 'curate';
  return action === 'read' ? 'read' : 'write';
}

/** The areas that endpoints are mounted on. */
export type AreaKind = 'user' | 'curated' | 'incoming';

/** Answers a request. Its errors become responses in `replyError`. */
export type Handler = (call: Call) => Promise<FastifyReply>;

/** Whether an endpoint changes anything: a process that only reads the store refuses it. */
export function changes({ method, action, changesNothing }: Endpoint): boolean {
  return method !== 'GET' && action !== 'validate' && !changesNothing;
}

/** Whether an endpoint is also answered for HEAD: not a `GET` that writes, since programs send HEAD to look at an address. */
export function answersHead({ method, writes }: Pick<Endpoint, 'method' | 'writes'>): boolean {
  return method === 'GET' && !writes;
}

/** The path of a row in the form of the router. */
export function routeOf({ path }: Endpoint): string {
  return path.replace(/\{\+\w+\}/, '*').replace(/\{(\w+)\}/g, ':$1');
}

/** A parameter that the path of the row has. */
export function inPath({ request }: Pick<Call, 'request'>, name: string): string {
  return (request.params as Readonly<Record<string, string>>)[name]!;
}

/** A parameter of the path that is the number of a row. @throws ServiceError `payload_invalid` for anything else */
export function numberInPath(call: Pick<Call, 'request'>, name: string): number {
  const text = inPath(call, name);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const msg = `expected a number such as 12, found ${JSON.stringify(text.slice(0, 100))}`;
  throw refusal('payload_invalid', [{ type: 'int_parsing', loc: ['path', name], msg }]);
}

/** All statuses that a row refuses requests with. */
export function statusesOf(endpoint: Endpoint): number[] {
  const { token, path, query, body, refusals = [], ...row } = endpoint;
  return [
    ...new Set([
      400,
      429,
      500,
      503,
      ...(token === 'none' ? [] : [401]),
      ...(path.includes('{collection}') ? [401, 403, 404] : []),
      ...(path.includes('{') ? [404] : []),
      ...(query || path.startsWith('/-/') ? [422] : []),
      ...(body ? [408, 413, 422] : []),
      ...(changes(endpoint) ? [405, 507] : []),
      ...(row.conditional && changes(endpoint) ? [412] : []),
      ...refusals,
    ]),
  ].sort();
}
