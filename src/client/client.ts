/**
 * The client library: a service over HTTP, for programs and browsers. It needs `fetch` only.
 *
 * ```ts
 * import { connect } from 'accession/client';
 *
 * const lab = connect({ url: 'https://records.example.org', token }).collection('laboratory');
 * for await (const person of lab.records({ className: 'Person' })) console.log(person.name);
 * await lab.curated.put('Person', { pid: 'labid:ada', name: 'Ada', family_name: 'Byron' });
 * ```
 */
import { type CollectionClient, openCollection } from './collection.ts';
import { type ConnectOptions, type Http, openHttp } from './http.ts';
import type {
  Activity,
  ActivityOptions,
  AnyClasses,
  Health,
  Me,
  RecordObject,
  ServerInformation,
  Status,
} from './types.ts';

export type { AreaClient } from './area.ts';
export type { CollectionClient, Hints } from './collection.ts';
export type { CurationClient } from './curation.ts';
export { ClientError, type ConnectOptions, type Fetch, type Http, type RequestOptions } from './http.ts';
export type * from './types.ts';

/** A service. Nothing is sent before a method is called. */
export type ServiceClient = ReturnType<typeof connect>;

/** The client of one service. */
export function connect(options: ConnectOptions) {
  const http = openHttp(options);
  return {
    /** The interface version, and the collections with their schemas and classes. */
    server: (): Promise<ServerInformation> => http.json('GET', '/server'),
    /** Who the token is, and what it may do. */
    me: (collection?: string): Promise<Me> => http.json('GET', '/-/me', { query: { collection } }),
    /** Whether the service is well, with what is wrong. */
    health: (): Promise<Health> => http.json('GET', '/-/health'),
    /** Disk, collections, jobs and tokens, for administrators. */
    status: (): Promise<Status> => http.json('GET', '/-/status'),
    /** A collection; with the `Classes` that its schema generates, its records have the types of their classes. */
    collection: <Classes extends object = AnyClasses>(name: string): CollectionClient<Classes> =>
      openCollection(http, name),
    /** The client of a module, for what is of the service and not of a collection. */
    use: <Client>(open: (http: Http) => Client): Client => open(http),
    /** Sends any request, for endpoints that have no method here. @throws ClientError */
    send: http.send,
    /** The body of a response in chunks. @throws ClientError if the connection breaks */
    chunks: http.chunks,
    /** Configuration elements, for administrators. */
    configuration: openConfiguration(http) as ConfigurationClient,
  };
}

/** The three kinds of configuration elements. */
export type ElementKind = 'collections' | 'tokens' | 'admin_tokens';

type Element = RecordObject & { name: string };
type NamedElement = { readonly name: string; readonly [member: string]: unknown };
export type ConfigurationClient = ReturnType<typeof openConfiguration>;
type Secret = { readonly representation: string };

function openConfiguration(http: Http) {
  return {
    list: <E extends object = Element>(kind: ElementKind): Promise<(E & { name: string })[]> =>
      http.json('GET', `/${kind}`),
    /**
     * Creates an element.
     *
     * @returns the element; a token without a representation has its generated secret there, this once
     * @throws ClientError with status 409 if the name is taken
     */
    create: <E extends object = Element>(kind: ElementKind, json: NamedElement): Promise<E> =>
      http.json('POST', `/${kind}`, { json }),
    /** An element with its entity tag. */
    async read<E extends object = Element>(kind: ElementKind, name: string) {
      const response = await http.send('GET', `/${kind}/${encodeURIComponent(name)}`);
      return {
        element: http.parse(await http.text(response), response) as E,
        etag: response.headers.get('etag') ?? undefined,
      };
    },
    /** Creates or replaces. @throws ClientError with status 412 if the element has another entity tag */
    async put(kind: ElementKind, json: NamedElement, { ifMatch }: { ifMatch?: string | undefined } = {}) {
      await http.send('PUT', `/${kind}`, { json, headers: { 'if-match': ifMatch } });
    },
    /** Deletes an element; with `revoke`, all tokens lose their permissions in a collection that is deleted. */
    async remove(kind: ElementKind, name: string, { revoke = false }: { revoke?: boolean } = {}) {
      const query = revoke ? { revoke } : {};
      await http.send('DELETE', `/${kind}/${encodeURIComponent(name)}`, { query });
    },
    /** Replaces the secret of a token and returns the new one; the former one is accepted for `keepDays` (default 7). */
    async rotate(token: string, { keepDays }: { keepDays?: number } = {}) {
      const query = { keep_days: keepDays };
      const path = `/tokens/${encodeURIComponent(token)}/rotate`;
      return (await http.json<Secret>('POST', path, { query })).representation;
    },
    /** Keeps the text of a schema in the store, and returns the address to configure. @throws ClientError if it has faults */
    keepSchema: async (schema: string) =>
      (await http.json<{ address: string }>('POST', '/-/schemas', { json: { schema } })).address,
    /** The changes of the configuration, newest first, with secrets masked. */
    history: (query?: ActivityOptions): Promise<Activity> => http.json('GET', '/-/history', { query }),
  };
}
