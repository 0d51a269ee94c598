/** What curators do for a collection as a whole: renames and merges, duplicates, broken references, faults, settings. */
import type { Http } from './http.ts';
import type {
  Activity,
  CollectionSettings,
  Dangling,
  Duplicates,
  Faults,
  MoveReport,
  Moves,
  Profiles,
  ProfileTrial,
  SendOutcome,
  Webhook,
  WebhookConfig,
  WebhookDelivery,
} from './types.ts';

type Paged = { readonly offset?: number | undefined; readonly limit?: number | undefined };

export interface CurationClient {
  /** Gives a curated record another pid, in every record that refers to it; `dryRun` only reports what would change. */
  rename(from: string, to: string, options?: { dryRun?: boolean }): Promise<MoveReport>;
  /**
   * Merges a curated record into another one. `take` chooses a side for paths at which both have values.
   *
   * @throws ClientError with status 409 and a problem for each path that needs a choice
   */
  merge(
    pids: { keep: string; drop: string },
    options?: { take?: Readonly<Record<string, 'keep' | 'drop'>>; dryRun?: boolean },
  ): Promise<MoveReport>;
  /** The renames and merges that can be undone, newest first. */
  moves(): Promise<Moves>;
  /** Undoes a rename or merge. */
  undoMove(id: string): Promise<MoveReport>;
  /** Pairs of curated records that may be about the same thing, the surest first. */
  duplicates(page?: Paged): Promise<Duplicates>;
  /** Records that two records are about different things, or undoes that. */
  different(pids: readonly [string, string], different?: boolean): Promise<void>;
  /** References to records that do not exist. */
  dangling(limit?: number): Promise<Dangling>;
  /** Stored records that do not fit the schema. */
  faults(limit?: number): Promise<Faults>;
  settings(): Promise<CollectionSettings>;
  /** Replaces the settings. */
  putSettings(settings: CollectionSettings): Promise<CollectionSettings>;
  /** Reports what the vocabularies of publications cannot express of the curated records, with these profiles. */
  tryProfiles(profiles: Profiles): Promise<readonly ProfileTrial[]>;
  /** The URLs that changes are sent to. */
  webhooks(): Promise<readonly Webhook[]>;
  /** Makes a webhook, or replaces and enables it. @returns the webhook, and the secret of a new one, which is not shown again */
  putWebhook(name: string, webhook: WebhookConfig): Promise<Webhook & { readonly secret: string | null }>;
  deleteWebhook(name: string): Promise<void>;
  /** The deliveries of a webhook, newest first. */
  deliveries(name: string, page?: { before?: number; limit?: number }): Promise<readonly WebhookDelivery[]>;
  /** Sends a delivery once more, or a test without one, and waits for the receiver. */
  send(name: string, delivery?: number): Promise<SendOutcome>;
  /** The changes of the curated area, newest first; `before` is `next` of the page before. */
  activity(filter?: {
    author?: string | undefined;
    class?: string | undefined;
    since?: string | undefined;
    before?: string | undefined;
    size?: number | undefined;
  }): Promise<Activity>;
}

/** @param path the path of the collection below `/-`: `/-/lab` */
export function openCuration(http: Http, path: string): CurationClient {
  const webhook = (name: string) => `${path}/webhooks/${encodeURIComponent(name)}`;
  return {
    rename: (from, to, { dryRun } = {}) =>
      http.json('POST', `${path}/curated/rename`, { query: { dry_run: dryRun }, json: { from, to } }),
    merge: (pids, { take = {}, dryRun } = {}) =>
      http.json('POST', `${path}/curated/merge`, { query: { dry_run: dryRun }, json: { ...pids, take } }),
    moves: () => http.json('GET', `${path}/moves`),
    undoMove: (id) => http.json('POST', `${path}/moves/${encodeURIComponent(id)}/undo`),
    duplicates: (page) => http.json('GET', `${path}/duplicates`, { query: page }),
    async different(pids, different = true) {
      await http.send('PUT', `${path}/duplicates`, { json: { pids, different } });
    },
    dangling: (limit) => http.json('GET', `${path}/dangling`, { query: { limit } }),
    faults: (limit) => http.json('GET', `${path}/faults`, { query: { limit } }),
    settings: () => http.json('GET', `${path}/settings`),
    tryProfiles: (profiles) => http.json('POST', `${path}/profiles/try`, { json: profiles }),
    putSettings: (settings) => http.json('PUT', `${path}/settings`, { json: settings }),
    webhooks: async () => (await http.json<{ items: readonly Webhook[] }>('GET', `${path}/webhooks`)).items,
    putWebhook: (name, json) => http.json('PUT', webhook(name), { json }),
    async deleteWebhook(name) {
      await http.send('DELETE', webhook(name));
    },
    deliveries: async (name, query) =>
      (
        await http.json<{ items: readonly WebhookDelivery[] }>('GET', `${webhook(name)}/deliveries`, {
          query,
        })
      ).items,
    send: (name, delivery) =>
      http.json(
        'POST',
        `${webhook(name)}/${delivery === undefined ? 'test' : `deliveries/${delivery}/redeliver`}`,
      ),
    // A size asks for pages; without one, a history of one record is an array.
    activity: ({ size = 50, ...filter } = {}) =>
      http.json('GET', `${path}/history`, { query: { size, ...filter } }),
  };
}
