/** How submissions are read: long ones, or those that are compared with long ones, in threads. */
import { type Claims, type ReadContent, readContent, type SubmittedContent } from '../review/assess.ts';
import type { Content } from '../review/types.ts';
import { schemaFiles } from '../schema/schema.ts';
import { LONG_BODY, type Pool } from '../work/pool.ts';
import { submissionIn } from '../worker.ts';

export function submissionReader(
  claims: Claims,
  pool: Pool,
): (content: SubmittedContent) => ReadContent | Promise<ReadContent> {
  const files = schemaFiles(claims.schema);
  const { tags } = claims;

  async function readLong(given: SubmittedContent): Promise<ReadContent> {
    const content = { ...contentOf(given), isChecked: given.isChecked };
    const { digest } = await pool.run(submissionIn, { schema: files, tags, content });
    return {
      ...{ className: given.className, digest },
      async assess(curated, base) {
        const compared = { curated: curated && contentOf(curated), base: base && contentOf(base) };
        const { found } = await pool.run(submissionIn, { schema: files, tags, content, compared });
        return found!;
      },
    };
  }

  return (content) => {
    if (content.json.length >= LONG_BODY) return readLong(content);
    const read = readContent(claims, content);
    return {
      ...read,
      async assess(curated, base) {
        const length = (curated?.json.length ?? 0) + (base?.json.length ?? 0);
        return length < LONG_BODY
          ? read.assess(curated, base)
          : (await readLong(content)).assess(curated, base);
      },
    };
  };
}

/** Copies the input of a thread. */
function contentOf({ className, json }: Content): Content {
  return { className, json };
}
