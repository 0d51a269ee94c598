/** Tries profiles on all curated records before they are put in force. */
import { batches } from '../../core/batches.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { countSchema, flagSchema, listOf, objectOf, type Shape, textSchema } from '../../core/shapes.ts';
import type { Pool } from '../../core/work/pool.ts';
import type { ProfileFault } from './profiles.ts';
import { metadataOf } from './publication.ts';
import type { ProfileTexts } from './publishing.ts';
import { profileFaultsIn } from './tasks.ts';
import { VOCABULARY_NAMES } from './vocabularies.ts';

export const trialSchema = listOf(
  objectOf({
    vocabulary: textSchema,
    records: { ...countSchema, description: 'The number of curated records.' },
    left_out: { ...countSchema, description: 'Records that the vocabulary cannot express.' },
    problems: listOf(
      objectOf({
        ...{ class: textSchema, message: textSchema },
        leaves_out: { ...flagSchema, description: 'Whether the records are left out; else values.' },
        records: countSchema,
        examples: { ...listOf(textSchema), description: 'The pids of some of the records.' },
      }),
    ),
  }),
);
export type Trial = Shape<typeof trialSchema>[number];

/** The bounds of one task of a thread: records, and their characters. */
const TASK = { items: 500, characters: 1_000_000 };
const MOST_EXAMPLES = 5;

/** Tries the profiles of a collection; those that are given instead of its own. */
export async function tryProfiles(collection: Collection, pool: Pool, texts: ProfileTexts): Promise<Trial[]> {
  const present = await metadataOf({ collection });
  const publishing = { ...present, profiles: { ...present.profiles, ...texts } };
  const { schema } = collection;
  const counted = new Map<string, { first: ProfileFault; records: number; examples: string[] }>();
  let total = 0;
  for await (const batch of batches(collection.curated.scan({}), TASK, ({ json }) => json.length)) {
    total += batch.length;
    const records = batch.map(({ pid, className, json }) => ({ pid, className, json }));
    const names = VOCABULARY_NAMES;
    for (const fault of await pool.run(profileFaultsIn, { schema, names, publishing, records })) {
      const key = JSON.stringify([fault.vocabulary, fault.className, fault.message]);
      const known = counted.get(key) ?? { first: fault, records: 0, examples: [] };
      counted.set(key, known);
      known.records++;
      if (known.examples.length < MOST_EXAMPLES) known.examples.push(fault.pid);
    }
  }
  return VOCABULARY_NAMES.map((vocabulary) => {
    const problems = [...counted.values()]
      .filter(({ first }) => first.vocabulary === vocabulary)
      .map(({ first: { className, message, isRecord }, ...rest }) => {
        return { class: className, message, leaves_out: isRecord, ...rest };
      });
    const left = problems.reduce((sum, one) => sum + (one.leaves_out ? one.records : 0), 0);
    return { vocabulary, records: total, left_out: left, problems };
  });
}
