/** A collection: its areas, classes, histories and references. */
import { type AreaClient, followChanges, openArea } from './area.ts';
import { type CurationClient, openCuration } from './curation.ts';
import { ClientError, type Http } from './http.ts';
import { openReview, openSubmissions, type ReviewClient, type SubmissionsClient } from './review.ts';
import type {
  ChangesOptions,
  ClassDescription,
  ClassSummary,
  FollowedChange,
  HistoryEntry,
  Links,
  PolicyDryRun,
  PolicyOverview,
  Readers,
  RecordObject,
  Rehearsal,
  Release,
  SchemaSwitch,
  SwitchOptions,
  Term,
  Titles,
} from './types.ts';

/** Words or an id, a term above, and the enum whose values are looked for. */
export type TermQuery = { q?: string; under?: string | undefined; enum?: string; limit?: number };

/** What a valid record refers to in vain, and curated records with the same identifier. */
export type Hints = { readonly dangling: readonly string[]; readonly duplicates: readonly string[] };

/** The interval in which the result of a dry run is asked for. The client imports nothing of the service. */
const POLL_MS = 500;

/** A collection. Its own methods work on what the token reads and writes by default. */
export interface CollectionClient extends AreaClient {
  readonly curated: AreaClient;
  incoming(label: string): AreaClient;
  /** The labels of all incoming zones. */
  labels(): Promise<string[]>;
  /** Validates one record without storing it, and returns the hints of the service. @throws ClientError with its problems */
  validate(className: string, record: RecordObject): Promise<Hints>;
  /** The changes of a record, oldest first. */
  history(pid: string): Promise<readonly HistoryEntry[]>;
  /** The changes in the zone of the token, see {@link AreaClient.changes}. */
  zoneChanges(options?: ChangesOptions): AsyncGenerator<FollowedChange>;
  /** Stores a record again as it was after the change of that time. */
  restore(
    pid: string,
    at: string,
    options?: { ifMatch?: string | undefined; ifNoneMatch?: '*' | undefined },
  ): Promise<void>;
  /** Where the public page of a record is cited; null if the token reads no such record. */
  publicUrl(pid: string): Promise<string | null>;
  /** The references of a record in both directions. */
  links(pid: string, options?: { limit?: number }): Promise<Links>;
  /** The classes, with counts of the records that the token may read. */
  classes(): Promise<readonly ClassSummary[]>;
  /** A class with its slots in order. */
  class(name: string): Promise<ClassDescription>;
  /** Terms of a vocabulary that match, best first. */
  terms(vocabulary: string, query: TermQuery): Promise<{ readonly items: readonly Term[] }>;
  /** The titles of up to 500 records by pid, for links. */
  titles(pids: readonly string[]): Promise<Titles>;
  /** The empty table of a class. */
  template(className: string, format: 'csv' | 'xlsx'): Promise<Blob>;
  /** Judges the records by another schema, at an address or as a string; changes nothing. Waits for the result. */
  rehearse(schema: string | { readonly text: string }): Promise<Rehearsal>;
  /**
   * Puts a rehearsed schema in force, for administrators. `patches` also corrects records that can be corrected: all, or
   * those with these pids. `corrections` has values by pid and slot for those that cannot; null removes a value.
   *
   * @throws ClientError with status 409 if `ifValid` and a record would not fit
   */
  switchSchema(rehearsal: string, options?: SwitchOptions): Promise<void>;
  /** The schema as YAML; `merged` includes its imports. */
  schema(options?: { merged?: boolean }): Promise<string>;
  /** The schema changes that were carried out, newest first. */
  switches(): Promise<readonly SchemaSwitch[]>;
  /** Undoes one: the former schema, and the records as they were. For administrators. */
  undoSwitch(id: string): Promise<void>;
  /** The releases, newest first. */
  releases(): Promise<readonly Release[]>;
  release(name: string): Promise<Release>;
  /**
   * Releases the curated area as it is now, for curators and administrators. Waits until it is done or has failed.
   * `progress` is called when the request is accepted, then with each state that is read.
   */
  makeRelease(
    name: string,
    options?: { notes?: string | undefined; progress?: (release: Release) => void },
  ): Promise<Release>;
  /** A file of a release, or `crate.zip` with all of them. */
  releaseFile(name: string, path: string): Promise<ReadableStream<Uint8Array>>;
  /** The policies that callers have, for curators. */
  policies(): Promise<PolicyOverview>;
  /** Who sees a record of the curated area or of a zone, for curators; null if the record does not exist. */
  readers(pid: string, options?: { label?: string | undefined }): Promise<Readers>;
  /** What other policies would mean for callers, for administrators; changes nothing. */
  tryPolicies(policies: RecordObject): Promise<PolicyDryRun>;
  /** Switches the maintenance mode. */
  maintenance(active: boolean): Promise<void>;
  readonly curation: CurationClient;
  readonly review: ReviewClient;
  readonly submissions: SubmissionsClient;
}

/** The pids that a header names. */
function named(header: string | null): string[] {
  return (header ?? '').split(', ').filter(Boolean).map(decodeURIComponent);
}

/** The client of one collection. */
export function openCollection(http: Http, name: string): CollectionClient {
  const path = `/${encodeURIComponent(name)}`;
  const classPath = (className: string) => encodeURIComponent(className);
  const releasePath = (release: string) => `/-${path}/releases/${encodeURIComponent(release)}`;
  return {
    ...openArea(http, path),
    curated: openArea(http, `${path}/curated`),
    incoming: (label) => openArea(http, `${path}/incoming/${encodeURIComponent(label)}`),
    labels: () => http.json('GET', `${path}/incoming/`),
    async validate(className, record) {
      const to = `${path}/validate/record/${classPath(className)}`;
      const { headers, body } = await http.send('POST', to, { json: record });
      await body?.cancel();
      return {
        dangling: named(headers.get('accession-dangling')),
        duplicates: named(headers.get('accession-duplicates')),
      };
    },
    history: (pid) => http.json('GET', `/-${path}/history`, { query: { pid } }),
    zoneChanges: (options) => followChanges(http, `/-${path}/zone/changes`, options),
    async restore(pid, at, { ifMatch, ifNoneMatch } = {}) {
      const headers = { 'if-match': ifMatch, 'if-none-match': ifNoneMatch };
      await http.send('POST', `/-${path}/history/restore`, { query: { pid, at }, headers });
    },
    async publicUrl(pid) {
      try {
        const { headers } = await http.send('HEAD', `/-${path}/resource/${encodeURIComponent(pid)}`);
        return /<([^>]*)>; rel="cite-as"/.exec(headers.get('link') ?? '')?.[1] ?? null;
      } catch (error) {
        if (error instanceof ClientError && (error.status === 404 || error.status === 410)) return null;
        throw error;
      }
    },
    links: (pid, { limit } = {}) => http.json('GET', `/-${path}/links`, { query: { pid, limit } }),
    classes: () => http.json('GET', `/-${path}/classes`),
    class: (className) => http.json('GET', `/-${path}/classes/${classPath(className)}`),
    terms: (vocabulary, query) =>
      http.json('GET', `/-${path}/terms/${encodeURIComponent(vocabulary)}`, { query }),
    titles: (pids) => http.json('POST', `/-${path}/titles`, { json: { pids } }),
    async template(className, format) {
      const query = { format };
      const response = await http.send('GET', `/-${path}/table/${classPath(className)}`, { query });
      return response.blob();
    },
    async rehearse(schema) {
      const json = typeof schema === 'string' ? { address: schema } : { schema: schema.text };
      let rehearsal = await http.json<Rehearsal>('POST', `/-${path}/rehearse`, { json });
      while (rehearsal.state === 'running') {
        await new Promise((done) => setTimeout(done, POLL_MS));
        rehearsal = await http.json('GET', `/-${path}/rehearsals/${encodeURIComponent(rehearsal.id)}`);
      }
      return rehearsal;
    },
    async switchSchema(rehearsal, { patches = false, ifValid = false, corrections } = {}) {
      const to = `/-${path}/rehearsals/${encodeURIComponent(rehearsal)}/switch`;
      await http.send('POST', to, { json: { patches, if_valid: ifValid, corrections } });
    },
    schema: async (query) => (await http.send('GET', `/-${path}/schema`, { query })).text(),
    switches: () => http.json('GET', `/-${path}/switches`),
    async undoSwitch(id) {
      await http.send('POST', `/-${path}/switches/${encodeURIComponent(id)}/undo`);
    },
    releases: async () => (await http.json<{ items: readonly Release[] }>('GET', `/-${path}/releases`)).items,
    release: (name) => http.json('GET', releasePath(name)),
    async makeRelease(name, { notes, progress } = {}) {
      let release = await http.json<Release>('POST', `/-${path}/releases`, { json: { name, notes } });
      progress?.(release);
      while (release.state === 'making') {
        await new Promise((done) => setTimeout(done, POLL_MS));
        release = await http.json('GET', releasePath(name));
        progress?.(release);
      }
      return release;
    },
    async releaseFile(name, file) {
      const response = await http.send('GET', `${releasePath(name)}/${encodeURIComponent(file)}`);
      return response.body!;
    },
    policies: () => http.json('GET', `/-${path}/policies`),
    readers(pid, { label } = {}) {
      const area = label === undefined ? 'curated' : `incoming/${encodeURIComponent(label)}`;
      return http.json('GET', `/-${path}/${area}/readers`, { query: { pid } });
    },
    tryPolicies: (policies) => http.json('POST', `/-${path}/policies/dry-run`, { json: policies }),
    async maintenance(active) {
      await http.send('POST', '/maintenance', { json: { collection: name, active } });
    },
    curation: openCuration(http, `/-${path}`),
    review: openReview(http, `/-${path}`),
    submissions: openSubmissions(http, `/-${path}`),
  };
}
