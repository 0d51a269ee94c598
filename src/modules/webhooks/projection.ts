/** Follows the curated area of a collection for its webhooks: a row for each change that one of them sends. */
import { randomUUID } from 'node:crypto';
import type { Collection } from '../../core/collections/collection.ts';
import { type ChangeItem, changeSchema, changesBehind } from '../../core/collections/feed.ts';
import { objectOf, type Shape, textSchema } from '../../core/shapes.ts';
import { AT_ONCE, type Projection, type ProjectionDraft } from '../../core/work/projections.ts';
import { CURSOR, type StoredWebhook, webhooksIn } from './webhooks.ts';

const { pid, iri, class: className, kind, moved_to, revision, time } = changeSchema.properties;
/** The message about a change; receivers read the record, if they may. */
export const noticeSchema = objectOf({
  collection: textSchema,
  pid,
  iri,
  class: className,
  kind,
  moved_to,
  revision,
  time,
});
export type Notice = Shape<typeof noticeSchema>;

export function webhookProjection(collection: Collection): Projection {
  const { name, database, curated } = collection;
  return {
    name: CURSOR.name,
    collection: name,
    version: async () => ((await webhooksIn(database, collection)).length > 0 ? CURSOR.version : undefined),
    places: [curated.area.path],
    reads: 'entries',
    async apply(entries, draft) {
      const from = entries[0]!.revision - 1;
      const upTo = entries.at(-1)!.revision;
      for (const webhook of await webhooksIn(database, collection)) {
        if (webhook.disabled !== null || webhook.since >= upTo) continue;
        await addDeliveries(collection, webhook, Math.max(from, webhook.since), upTo, draft);
      }
    },
  };
}

const INSERT = `INSERT INTO accession_delivery (area, collection, webhook, message, json, delivered, attempts)
  VALUES ($1, $2, $3, $4, $5, 0, 0)`;

/** Adds a row for each change of an interval of revisions. */
async function addDeliveries(
  collection: Collection,
  { name: webhook, config }: StoredWebhook,
  from: number,
  upTo: number,
  draft: ProjectionDraft,
): Promise<void> {
  const { name, curated, schema } = collection;
  const known = config.classes.filter((one) => schema.classes.has(one));
  if (known.length === 0 && config.classes.length > 0) return;
  const classes = known.length === 0 ? undefined : known;
  const feed = { collection, store: curated, path: curated.area.path, label: '' };
  const following = { classes, record: undefined, limit: AT_ONCE.entries.most };
  for (let revision = Math.max(from, await curated.keptFrom()); revision < upTo; ) {
    const { items, revision: reached } = await changesBehind(feed, { revision }, following);
    for (const item of items) {
      if (item.revision > upTo) return;
      if (config.kinds.length > 0 && !config.kinds.includes(item.kind)) continue;
      const json = JSON.stringify(noticeOf(name, item));
      draft.run(INSERT, [draft.area.id, name, webhook, `msg_${randomUUID()}`, json]);
    }
    if (reached === revision) return;
    revision = reached;
    await draft.yieldIfDue();
  }
}

function noticeOf(
  collection: string,
  { pid, iri, class: className, kind, moved_to, revision, time }: ChangeItem,
): Notice {
  return { collection, pid, iri, class: className, kind, moved_to, revision, time };
}
