/** Makes the part of a collection that opens: its review, which takes part in writes to its areas and in changes of its schema. */
import type { UserNames } from '../../core/access/user-names.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { readSettings } from '../../core/collections/settings.ts';
import type { Gauges, Sample } from '../../core/metrics/metrics.ts';
import type { StoreLog } from '../../core/storage/log.ts';
import { carryRefusals } from './decisions/carry.ts';
import type { ReviewPart } from './part.ts';
import type { ReviewParts } from './parts.ts';
import type { WordResults } from './queue/words.ts';
import { Review } from './review.ts';
import type {} from './settings.ts';
import { STANDINGS } from './states.ts';
import { companionOf, reviewCompanions } from './submissions/companions.ts';
import { recordWork, refusalWork } from './submissions/thread-work.ts';

type AttachingCore = { readonly log: StoreLog; readonly names: UserNames };

/** @param words the results of searches, which all collections of the service share */
export function attachReview(
  collection: Collection,
  words: WordResults,
  { log, names }: AttachingCore,
): ReviewPart {
  const { name, config, schema, submissionTags: tags, database, curated, zones, pool } = collection;
  const parts: ReviewParts = {
    collection: name,
    schema,
    tags,
    database,
    curated,
    zones,
    log,
    names,
    incoming: zones.path,
    curatedScope: collection.scopeOf(''),
    etagOf: (label, revision) => collection.etagOf(label, revision),
    matching: collection.honorsMatching,
    showReviewer: config.review?.show_reviewer ?? false,
    transact: (prepare) => collection.transact(prepare),
    curators: (among) => collection.curators(among),
    settings: async (reader) => (await readSettings({ name, database: reader, curated })).review ?? {},
    work: recordWork({ schema, tags }, pool),
  };
  const review = new Review(parts, words);
  return {
    review,
    companion: companionOf(reviewCompanions(parts), curated.area, zones),
    // A submission that was refused stays refused under another schema.
    migrate: (draft, { digests, migrate }) =>
      carryRefusals(draft, collection, digests, { ...refusalWork(pool), mend: migrate }),
    samples: async () => (zones.exist ? samplesOf(name, review) : []),
    close: () => review.close(),
  };
}

export const gauges = {
  accession_submissions: {
    help: 'Submissions by collection and standing.',
    labels: ['collection', 'standing'],
  },
} satisfies Gauges;

/** None if the queue cannot be read, as on a full disk: other gauges say why. */
async function samplesOf(collection: string, review: Review): Promise<Sample[]> {
  const summary = await review.summary({}).catch(() => undefined);
  if (!summary) return [];
  return STANDINGS.map((standing) => ({
    name: 'accession_submissions',
    labels: { collection, standing },
    value: summary.by_standing[standing] ?? 0,
  }));
}
