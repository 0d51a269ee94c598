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
import { type ConnectOptions, openHttp, type RequestOptions } from './http.ts';
import type {
  Health,
  HistoryEntry,
  Invitation,
  Invite,
  Me,
  NewInvitation,
  RecordObject,
  Rehearsal,
  ServerInformation,
  Status,
} from './types.ts';

export type { AreaClient } from './area.ts';
export type { CollectionClient, Hints } from './collection.ts';
export type { CurationClient } from './curation.ts';
export { ClientError, type ConnectOptions, type RequestOptions } from './http.ts';
export type { ReviewClient, SubmissionsClient } from './review.ts';
export type * from './types.ts';

const invitationsPath = (collection: string) => `/-/${encodeURIComponent(collection)}/invitations`;

/** A service. Nothing is sent before a method is called. */
export interface ServiceClient {
  /** The interface version, and the collections with their schemas and classes. */
  server(): Promise<ServerInformation>;
  /** Who the token is, and what it may do. */
  me(collection?: string): Promise<Me>;
  /** Whether the service is well, with what is wrong. */
  health(): Promise<Health>;
  /** Disk, collections, jobs and tokens, for administrators. */
  status(): Promise<Status>;
  /** Stops a job after its current step, for administrators. */
  stopJob(id: number): Promise<void>;
  collection(name: string): CollectionClient;
  /**
   * Exchanges an invitation, whose secret is the token of this client, for a token of the collection.
   *
   * @returns the secret of the token, which is not shown again
   */
  acceptInvitation(collection: string): Promise<string>;
  /** Sends any request, for endpoints that have no method here. @throws ClientError */
  send(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** Configuration elements, for administrators. */
  readonly configuration: ConfigurationClient;
}

/** The three kinds of configuration elements. */
export type ElementKind = 'collections' | 'tokens' | 'admin_tokens';

type Element = RecordObject & { name: string };
type NamedElement = { readonly name: string; readonly [member: string]: unknown };

export interface ConfigurationClient {
  list<E extends object = Element>(kind: ElementKind): Promise<(E & { name: string })[]>;
  /** Creates an element. @throws ClientError with status 409 if the name is taken */
  /** @returns the element; a token without a representation has its generated secret there, this once */
  create<E extends object = Element>(kind: ElementKind, element: NamedElement): Promise<E>;
  /** An element with its entity tag. */
  read<E extends object = Element>(
    kind: ElementKind,
    name: string,
  ): Promise<{ element: E; etag: string | undefined }>;
  /** Creates or replaces. @throws ClientError with status 412 if the element has another entity tag */
  put(kind: ElementKind, element: NamedElement, options?: { ifMatch?: string | undefined }): Promise<void>;
  remove(kind: ElementKind, name: string): Promise<void>;
  /** Replaces the secret of a token and returns the new one; the former one is accepted for `keepDays` (default 7). */
  rotate(token: string, options?: { keepDays?: number }): Promise<string>;
  /** Invites a person to a collection. @returns the invitation with its secret, which is not shown again */
  invite(collection: string, invite: Invite): Promise<NewInvitation>;
  /** The invitations to a collection, newest first. */
  invitations(collection: string): Promise<readonly Invitation[]>;
  revokeInvitation(collection: string, id: number): Promise<void>;
  /** Keeps the text of a schema in the store, and returns the address to configure. @throws ClientError if it has faults */
  keepSchema(text: string): Promise<string>;
  /** Judges the records of a collection by the schema that it is changed to; changes nothing. Null if it has none yet. */
  tryCollection(element: NamedElement): Promise<Rehearsal | null>;
  /** The changes of the configuration, oldest first, with secrets masked. */
  history(): Promise<readonly HistoryEntry[]>;
}

/** The client of one service. */
export function connect(options: ConnectOptions): ServiceClient {
  const http = openHttp(options);
  return {
    server: () => http.json('GET', '/server'),
    health: () => http.json('GET', '/-/health'),
    status: () => http.json('GET', '/-/status'),
    async stopJob(id) {
      await http.send('POST', `/-/jobs/${id}/stop`);
    },
    me: (collection) => http.json('GET', '/-/me', { query: { collection } }),
    collection: (name) => openCollection(http, name),
    acceptInvitation: async (collection) =>
      (await http.json<{ representation: string }>('POST', `${invitationsPath(collection)}/accept`))
        .representation,
    send: http.send,
    configuration: {
      list: (kind) => http.json('GET', `/${kind}`),
      create: <E extends object>(kind: ElementKind, element: NamedElement) =>
        http.json<E>('POST', `/${kind}`, { json: element }),
      async read<E extends object>(kind: ElementKind, name: string) {
        const response = await http.send('GET', `/${kind}/${encodeURIComponent(name)}`);
        return {
          element: http.parse(await response.text(), response) as E,
          etag: response.headers.get('etag') ?? undefined,
        };
      },
      async put(kind, element, { ifMatch } = {}) {
        await http.send('PUT', `/${kind}`, { json: element, headers: { 'if-match': ifMatch } });
      },
      async remove(kind, name) {
        await http.send('DELETE', `/${kind}/${encodeURIComponent(name)}`);
      },
      async rotate(token, { keepDays } = {}) {
        const path = `/tokens/${encodeURIComponent(token)}/rotate`;
        const query = { keep_days: keepDays };
        return (await http.json<{ representation: string }>('POST', path, { query })).representation;
      },
      invite: (collection, json) => http.json('POST', invitationsPath(collection), { json }),
      invitations: async (collection) =>
        (await http.json<{ items: readonly Invitation[] }>('GET', invitationsPath(collection))).items,
      async revokeInvitation(collection, id) {
        await http.send('DELETE', `${invitationsPath(collection)}/${id}`);
      },
      keepSchema: async (schema) =>
        (await http.json<{ address: string }>('POST', '/-/schemas', { json: { schema } })).address,
      tryCollection: (element) =>
        http.json('PUT', '/collections', { json: element, query: { dry_run: true } }),
      history: () => http.json('GET', '/-/history'),
    },
  };
}
