/** The records of one area: what a token reads by default, the curated area, or an incoming zone. */
import { ClientError, type Http, type Query, type RequestOptions } from './http.ts';
import { decoded, lines } from './lines.ts';
import type {
  AnyClasses,
  ChangesOptions,
  ChangesPage,
  ClassName,
  ConditionalText,
  ExportOptions,
  FollowedChange,
  ItemResult,
  ListOptions,
  Page,
  ReadOptions,
  RecordObject,
  SearchOptions,
  SearchPage,
  StoreOptions,
  Tagged,
} from './types.ts';

export type AreaClient<Classes extends object = AnyClasses> = ReturnType<typeof openArea<Classes>>;

type PageOptions<Name extends string> = ListOptions<Name> & {
  page?: number | undefined;
  size?: number | undefined;
};

/**
 * An area, whose records are of the types of their classes, as the schema generates them. The service has checked them; their numbers
 * are those of `parse`.
 *
 * @param path the path of the area: `/lab`, `/lab/curated`, `/lab/incoming/ann`
 */
export function openArea<Classes extends object = AnyClasses>(http: Http, path: string) {
  type Name = ClassName<Classes>;
  /** One page of records, in pid order. */
  const page = <N extends Name>({ className, ...query }: PageOptions<N> = {}): Promise<Page<Classes[N]>> =>
    http.json('GET', `${path}/records/p/${encodeURIComponent(className ?? '')}`, { query });
  /** One page of the records that a search finds; case and accents make no difference. */
  const search = <N extends Name>({
    where,
    ...options
  }: SearchOptions<N> = {}): Promise<SearchPage<Classes[N]>> =>
    http.json('GET', `/-${path}/search`, { query: { ...where, ...options } });
  async function* stream(query: Query): AsyncGenerator<string> {
    yield* decoded(http.chunks(await http.send('GET', `/-${path}/export`, { query })));
  }
  async function textOf(query: Query): Promise<string | undefined> {
    const response = await http.send('GET', `${path}/record`, { query });
    const text = await http.text(response);
    return text === 'null' ? undefined : text;
  }
  return {
    /** The methods of a module: `laboratory.use(webhooks).list()`, `laboratory.curated.use(tables).put('Person', file)`. */
    use: <Methods>(open: (http: Http, path: string) => Methods): Methods => open(http, `/-${path}`),
    /** One record; undefined if there is none. */
    async get(pid: string, options?: ReadOptions): Promise<Tagged | undefined> {
      const response = await http.send('GET', `${path}/record`, { query: { ...options, pid } });
      const text = await http.text(response);
      const record = http.parse(text, response) as RecordObject | null;
      return record === null ? undefined : { record, text, etag: response.headers.get('etag') ?? undefined };
    },
    /** The text of a record, by default as it is stored: numbers keep all their digits. Undefined if there is none. */
    getText: (pid: string, format?: string) => textOf({ pid, format }),
    /** One record as Turtle; undefined if there is none. */
    getTurtle: (pid: string, options?: Pick<ReadOptions, 'at'>) => textOf({ ...options, pid, format: 'ttl' }),
    page,
    search,
    /** The record of a class, in the user area also of a subclass; undefined if there is none, or if it is of another class. */
    async read<N extends Name>(className: N, pid: string): Promise<Classes[N] | undefined> {
      const { items } = await search({ class: className, where: { pid }, size: 1 });
      return items[0];
    },
    /** All records, page by page; works with every service of the interface. */
    async *records<N extends Name>(options: ListOptions<N> = {}): AsyncGenerator<Classes[N]> {
      for (let number = 1; ; number += 1) {
        const { items, pages } = await page({ ...options, page: number, size: 100 });
        yield* items;
        if (number >= pages) return;
      }
    },
    /** All records as one stream of JSON texts, in pid order. */
    exportLines: (options?: ExportOptions) => lines(stream({ ...options })),
    /** All records as one stream of Turtle documents, in chunks. */
    exportTurtle: (options?: ExportOptions) => stream({ ...options, format: 'ttl' }),
    /**
     * The changes of records in the order of their commits, then each further one as it is made. Of the user area: those of
     * curated records that the token sees.
     *
     * @returns with `once`, the cursor to go on with; it may be behind the last change, if others do not match
     * @throws ClientError with status 410 if the cursor is too old, or of a store that was restored: read the records again
     */
    changes: (options?: ChangesOptions) => followChanges(http, `/-${path}/changes`, options),
    /** The cursor of the last change, for `since`: behind it are the changes to come. */
    cursor: async () =>
      (await http.json<ChangesPage>('GET', `/-${path}/changes`, { query: { since: 'now' } })).next,
    /** Stores one record, and returns its entity tag. */
    async put<N extends Name>(
      className: N,
      record: Classes[N] | RecordObject | string,
      options: StoreOptions = {},
    ) {
      const response = await http.send('POST', `${path}/record/${encodeURIComponent(className)}`, {
        body: typeof record === 'string' ? record : JSON.stringify(record),
        contentType: 'application/json',
        query: storeQuery(options),
        headers: { 'if-match': options.ifMatch, 'if-none-match': options.ifNoneMatch },
      });
      await response.body?.cancel();
      return response.headers.get('etag') ?? undefined;
    },
    /**
     * Stores many JSON texts of records in one request; each names its class by `schema_type`, unless one is given. Those with conditions
     * have their new entity tag in the result or, with the status 412, the record as it is now.
     */
    putMany(
      items: readonly (string | ConditionalText)[],
      className?: string,
      options: Omit<StoreOptions, 'ifMatch' | 'ifNoneMatch'> = {},
    ) {
      const conditional = items.some((item) => typeof item !== 'string');
      const texts = conditional ? items.map(conditionalItem) : (items as readonly string[]);
      return batch(http, `/-${path}/records/`, texts, className, {
        query: { ...storeQuery(options), conditional: conditional || undefined },
      });
    },
    /** Reads many records in one request: each result has the record and its entity tag, or the status 404. */
    getMany: (pids: readonly string[]) =>
      http.json<ItemResult[]>('POST', `/-${path}/read`, { json: pids, safe: true }),
    /** Deletes many records in one request; see `delete` for the conditions. */
    deleteMany: (
      items: readonly { readonly pid: string; readonly ifMatch?: string | undefined }[],
      { ifUnreferenced }: { ifUnreferenced?: boolean | undefined } = {},
    ) =>
      http.json<ItemResult[]>('DELETE', `/-${path}/records/`, {
        query: { if_unreferenced: ifUnreferenced },
        json: items.map(({ pid, ifMatch }) => (ifMatch === undefined ? pid : { pid, if_match: ifMatch })),
      }),
    /** Validates many without storing any. Results have hints. */
    validateMany: (texts: readonly string[], className?: string) =>
      batch(http, `/-${path}/validate/records/`, texts, className, { query: { hints: true }, safe: true }),
    /**
     * Deletes one record, and returns how many records still refer to it.
     *
     * @throws ClientError with status 404 if there is none, 409 if `ifUnreferenced` and others refer to it
     */
    async delete(
      pid: string,
      {
        ifMatch,
        ifUnreferenced,
      }: { ifMatch?: string | undefined; ifUnreferenced?: boolean | undefined } = {},
    ) {
      const { headers } = await http.send('DELETE', `${path}/record`, {
        query: { pid, if_unreferenced: ifUnreferenced },
        headers: { 'if-match': ifMatch },
      });
      return { referrers: Number(headers.get('accession-referrers') ?? 0) };
    },
  };
}

/** Seconds that a request for changes waits. */
const LONGEST_WAIT = 55;

/** Changes of an area, one request after the other. @param path that of its changes */
export async function* followChanges(
  http: Http,
  path: string,
  { since, className, pid, once = false }: ChangesOptions = {},
): AsyncGenerator<FollowedChange, string> {
  for (let next = since; ; ) {
    const query = { since: next, class: className, record: pid, wait: once ? 0 : LONGEST_WAIT };
    const page = await http.json<ChangesPage>('GET', path, { query });
    for (const item of page.items) yield { ...item, cursor: `${page.generation}:${item.revision}` };
    if (once && page.next === next) return next;
    next = page.next;
  }
}

/** An item of a conditional batch: the text of the record is sent as it is. */
function conditionalItem(item: string | ConditionalText): string {
  const { text, ifMatch, ifNoneMatch } = typeof item === 'string' ? { text: item } : item;
  const conditions = JSON.stringify({ if_match: ifMatch, if_none_match: ifNoneMatch });
  return `{"record":${text}${conditions === '{}' ? '}' : `,${conditions.slice(1)}`}`;
}

async function batch(
  http: Http,
  path: string,
  texts: readonly string[],
  className: string | undefined,
  options: Pick<RequestOptions, 'query' | 'safe'>,
): Promise<ItemResult[]> {
  if (texts.length === 0) return [];
  const results = await http.json<ItemResult[] | { results: ItemResult[] }>(
    'POST',
    `${path}${encodeURIComponent(className ?? '')}`,
    { ...options, body: `${texts.join('\n')}\n`, contentType: 'application/x-ndjson' },
  );
  const list = Array.isArray(results) ? results : results.results;
  if (list.length === texts.length) return list;
  throw new ClientError(`Expected ${texts.length} results of a batch, found ${list.length}.`, 0);
}

function storeQuery(options: StoreOptions): Query {
  return {
    add_submission_tag: options.addSubmissionTag ? 'true' : undefined,
    author_id: options.authorId,
    batch: options.batch,
    message: options.message,
    based_on: options.basedOn,
  };
}
