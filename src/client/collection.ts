/** A collection: its areas, classes, histories and references. */
import { type AreaClient, followChanges, openArea } from './area.ts';
import { type CurationClient, openCuration } from './curation.ts';
import type { Http } from './http.ts';
import type {
  AnyClasses,
  ChangesOptions,
  ClassDescription,
  ClassSummary,
  HistoryEntry,
  Links,
  PolicyDryRun,
  PolicyOverview,
  PublicAccess,
  Readers,
  RecordObject,
  Titles,
} from './types.ts';

/** Missing records that a valid one refers to, and curated records with the same identifier. */
export type Hints = { readonly dangling: readonly string[]; readonly duplicates: readonly string[] };

/** The pids that a header names. */
function named(header: string | null): string[] {
  return (header ?? '').split(', ').filter(Boolean).map(decodeURIComponent);
}

/** A collection. Its own methods work on what the token reads and writes by default. */
export type CollectionClient<Classes extends object = AnyClasses> = ReturnType<
  typeof openCollection<Classes>
>;

/** The client of one collection. */
export function openCollection<Classes extends object = AnyClasses>(http: Http, name: string) {
  const path = `/${encodeURIComponent(name)}`;
  const classPath = (className: string) => encodeURIComponent(className);
  return {
    ...openArea<Classes>(http, path),
    curated: openArea(http, `${path}/curated`) as AreaClient<Classes>,
    incoming: (label: string): AreaClient<Classes> =>
      openArea(http, `${path}/incoming/${encodeURIComponent(label)}`),
    labels: (): Promise<string[]> => http.json('GET', `${path}/incoming/`),
    /** Validates one record without storing it, and returns the hints of the service. @throws ClientError with its problems */
    async validate(className: string, record: RecordObject): Promise<Hints> {
      const to = `${path}/validate/record/${classPath(className)}`;
      const { headers, body } = await http.send('POST', to, {
        query: { hints: true },
        json: record,
        safe: true,
      });
      await body?.cancel();
      return {
        dangling: named(headers.get('accession-dangling')),
        duplicates: named(headers.get('accession-duplicates')),
      };
    },
    /** The changes of a record, oldest first. */
    history: (pid: string): Promise<readonly HistoryEntry[]> =>
      http.json('GET', `/-${path}/history`, { query: { pid } }),
    /** The changes in the zone of the token, see {@link AreaClient.changes}. */
    zoneChanges: (options?: ChangesOptions) => followChanges(http, `/-${path}/zone/changes`, options),
    /** Stores a record again as it was after the change of that time. */
    async restore(
      pid: string,
      at: string,
      { ifMatch, ifNoneMatch }: { ifMatch?: string | undefined; ifNoneMatch?: '*' | undefined } = {},
    ) {
      const headers = { 'if-match': ifMatch, 'if-none-match': ifNoneMatch };
      await http.send('POST', `/-${path}/history/restore`, { query: { pid, at }, headers });
    },
    /** The references of a record in both directions. */
    links: (pid: string, { limit }: { limit?: number } = {}): Promise<Links> =>
      http.json('GET', `/-${path}/links`, { query: { pid, limit } }),
    /** The classes, with counts of the records that the token may read. */
    classes: (): Promise<readonly ClassSummary[]> => http.json('GET', `/-${path}/classes`),
    /** A class with its slots in order. */
    class: (className: string): Promise<ClassDescription> =>
      http.json('GET', `/-${path}/classes/${classPath(className)}`),
    /** The titles of up to 500 records by pid, for links. */
    titles: (pids: readonly string[]): Promise<Titles> =>
      http.json('POST', `/-${path}/titles`, { json: { pids }, safe: true }),
    /** The schema as YAML; `merged` includes its imports. */
    schema: async (query?: { merged?: boolean }) =>
      http.text(await http.send('GET', `/-${path}/schema`, { query })),
    /** The JSON-LD context of the schema, with its prefixes. */
    context: (): Promise<RecordObject> => http.json('GET', `/-${path}/context.jsonld`),
    /** The policies that callers have, for curators. */
    policies: (): Promise<PolicyOverview> => http.json('GET', `/-${path}/policies`),
    /** Who sees a record of the curated area or of a zone, for curators; null if the record does not exist. */
    readers(pid: string, { label }: { label?: string | undefined } = {}) {
      const area = label === undefined ? 'curated' : `incoming/${encodeURIComponent(label)}`;
      return http.json<Readers>('GET', `/-${path}/${area}/readers`, { query: { pid } });
    },
    /** Dry run of other policies, for administrators: what callers would gain and lose. */
    tryPolicies: (json: RecordObject): Promise<PolicyDryRun> =>
      http.json('POST', `/-${path}/policies/dry-run`, { json, safe: true }),
    /** What everybody reads without a token, or would read if the collection were public; for administrators. */
    publicAccess: (): Promise<PublicAccess> => http.json('GET', `/-${path}/public`),
    /** Lets everybody read the curated records without a token, or only those with a token; for administrators. */
    setPublic: (isPublic: boolean): Promise<PublicAccess> =>
      http.json('PUT', `/-${path}/public`, { json: { public: isPublic } }),
    /** Switches the maintenance mode. */
    async maintenance(active: boolean) {
      await http.send('POST', '/maintenance', { json: { collection: name, active } });
    },
    curation: openCuration(http, `/-${path}`) as CurationClient,
  };
}
