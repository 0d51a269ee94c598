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
import { type AreaClient, openArea } from './area.ts';
import { type ConnectOptions, type Http, openHttp } from './http.ts';
import { openReview, openSubmissions, type ReviewClient, type SubmissionsClient } from './review.ts';
import type {
  ClassDescription,
  ClassSummary,
  Health,
  HistoryEntry,
  Me,
  RecordObject,
  ServerInformation,
  Titles,
} from './types.ts';

export type { AreaClient } from './area.ts';
export { ClientError, type ClientProblem, type ConnectOptions } from './http.ts';
export type { ReviewClient, ReviewFilter, SubmissionsClient } from './review.ts';
export type * from './types.ts';

/** A service. Nothing is sent before a method is called. */
export interface ServiceClient {
  /** The interface version, and the collections with their schemas and classes. */
  server(): Promise<ServerInformation>;
  /** Who the token is, and what it may do. */
  me(collection?: string): Promise<Me>;
  /** Whether the service is well, with what is wrong. */
  health(): Promise<Health>;
  collection(name: string): CollectionClient;
  /** Configuration elements, for administrators. */
  readonly configuration: ConfigurationClient;
}

/** A collection. Its own methods work on what the token reads and writes by default. */
export interface CollectionClient extends AreaClient {
  readonly curated: AreaClient;
  incoming(label: string): AreaClient;
  /** The labels of all incoming zones. */
  labels(): Promise<string[]>;
  /** The changes of a record, oldest first. */
  history(pid: string): Promise<readonly HistoryEntry[]>;
  /** The classes, with counts of the records that the token may read. */
  classes(): Promise<readonly ClassSummary[]>;
  /** A class with its slots in order. */
  class(name: string): Promise<ClassDescription>;
  /** The titles of up to 500 records by pid, for links. */
  titles(pids: readonly string[]): Promise<Titles>;
  /** Switches the maintenance mode. */
  maintenance(active: boolean): Promise<void>;
  readonly review: ReviewClient;
  readonly submissions: SubmissionsClient;
}

/** The three kinds of configuration elements. */
export type ElementKind = 'collections' | 'tokens' | 'admin_tokens';

export interface ConfigurationClient {
  list(kind: ElementKind): Promise<(RecordObject & { name: string })[]>;
  /** Creates or replaces. */
  put(kind: ElementKind, element: RecordObject & { name: string }): Promise<void>;
  remove(kind: ElementKind, name: string): Promise<void>;
}

/** The client of one service. */
export function connect(options: ConnectOptions): ServiceClient {
  const http = openHttp(options);
  return {
    server: () => http.json('GET', '/server'),
    health: () => http.json('GET', '/-/health'),
    me: (collection) => http.json('GET', '/-/me', { query: { collection } }),
    collection: (name) => openCollection(http, name),
    configuration: {
      list: (kind) => http.json('GET', `/${kind}`),
      async put(kind, element) {
        await http.send('PUT', `/${kind}`, { json: element });
      },
      async remove(kind, name) {
        await http.send('DELETE', `/${kind}/${encodeURIComponent(name)}`);
      },
    },
  };
}

function openCollection(http: Http, name: string): CollectionClient {
  const path = `/${encodeURIComponent(name)}`;
  return {
    ...openArea(http, path),
    curated: openArea(http, `${path}/curated`),
    incoming: (label) => openArea(http, `${path}/incoming/${encodeURIComponent(label)}`),
    labels: () => http.json('GET', `${path}/incoming/`),
    history: (pid) => http.json('GET', `/-${path}/history`, { query: { pid } }),
    classes: () => http.json('GET', `/-${path}/classes`),
    class: (className) => http.json('GET', `/-${path}/classes/${encodeURIComponent(className)}`),
    titles: (pids) => http.json('POST', `/-${path}/titles`, { json: { pids } }),
    async maintenance(active) {
      await http.send('POST', '/maintenance', { json: { collection: name, active } });
    },
    review: openReview(http, `/-${path}`),
    submissions: openSubmissions(http, `/-${path}`),
  };
}
