/** Reads, compares and merges records for reviews: in threads, if they are long. */
import { LONG_BODY, type Pool, runIfLong } from '../../../core/work/pool.ts';
import type { LocalTask } from '../../../core/work/task.ts';
import type { KeptText, RefusalWork } from '../decisions/carry.ts';
import { contentOf } from '../decisions/content.ts';
import * as tasks from '../tasks.ts';
import { type Claims, type ReadContent, readContent, type SubmittedContent } from './assess.ts';
import type { RecordWork } from './record-work.ts';

/** The functions of a collection's reviews. @param pool without one, all is done at once: for tests */
export function recordWork(claims: Claims, pool?: Pool): RecordWork {
  const ifLong =
    <Input extends object, Result>(task: LocalTask<tasks.OfReview<Input>, Result>) =>
    async (input: Input) =>
      runIfLong(pool, task, { ...claims, input }, lengthOf(input));

  async function readLong(given: SubmittedContent): Promise<ReadContent> {
    const content = { ...contentOf(given), isChecked: given.isChecked };
    const { digest } = await pool!.run(tasks.submissionIn, { ...claims, content });
    return {
      className: given.className,
      digest,
      async assess(curated, base) {
        const compared = { curated: curated && contentOf(curated), base: base && contentOf(base) };
        const { found } = await pool!.run(tasks.submissionIn, { ...claims, content, compared });
        return found!;
      },
    };
  }

  return {
    changes: ifLong(tasks.changesIn),
    shown: ifLong(tasks.shownIn),
    accepted: ifLong(tasks.acceptedIn),
    identified: ifLong(tasks.identifiedIn),
    read(content) {
      if (pool && content.json.length >= LONG_BODY) return readLong(content);
      const read = readContent(claims, content);
      return {
        ...read,
        async assess(curated, base) {
          const length = (curated?.json.length ?? 0) + (base?.json.length ?? 0);
          return !pool || length < LONG_BODY
            ? read.assess(curated, base)
            : (await readLong(content)).assess(curated, base);
        },
      };
    },
  };
}

/** The characters of an input: its strings, and those of the records in it. */
function lengthOf(input: object): number {
  return Object.values(input).reduce((sum, value) => {
    if (typeof value === 'string') return sum + value.length;
    const { json } = (value ?? {}) as { readonly json?: string };
    return sum + (json?.length ?? 0);
  }, 0);
}

/** What is made of the refusals that decisions keep. */
export function refusalWork(pool: Pool): RefusalWork {
  const lengthOf = ({ json, carried }: KeptText) => json.length + (carried?.length ?? 0);
  return {
    refused: (kept, schema) => runIfLong(pool, tasks.refusedIn, { kept, schema }, lengthOf(kept)),
    carried: (kept, digests, next) =>
      runIfLong(pool, tasks.carriedIn, { kept, digests, next }, lengthOf(kept)),
  };
}
