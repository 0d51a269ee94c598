/** One submission with all that a curator needs to decide on it. */

import type { Problem } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { claimDifferences, type Difference, withWords } from '../records/difference.ts';
import { mergeRecords } from '../records/merge.ts';
import { resolvePid } from '../records/record.ts';
import { referencesOf } from '../records/references.ts';
import { asDefined } from '../schema-type.ts';
import { compare, recordOf } from './assess.ts';
import { jsonOf } from './decisions.ts';
import type { ReviewParts } from './parts.ts';
import { rowsOf } from './queue.ts';
import { baseOfRow, contentOf, type QueuedSubmission, type QueueIndex } from './queue-index.ts';
import type { Content, Decision, Hinter, Reference, Row } from './types.ts';

export type ReadItem = Omit<Row, 'differences'> & {
  readonly submitted: JsonObject;
  readonly curated: JsonObject | null;
  readonly base: JsonObject | null;
  readonly differences: readonly Difference[];
  /** The three-way result; null if there are conflicts. */
  readonly merged: JsonObject | null;
  /** Why the schema refuses `merged`, or `submitted` if there are conflicts. */
  readonly problems: readonly Problem[];
  readonly references: readonly Reference[];
  /** The submissions of other zones on the record, whatever their standing. */
  readonly competing: readonly Row[];
  readonly decisions: readonly Decision[];
};

const MOST_DECISIONS = 100;
const MOST_REFERENCES = 1000;

/** Reads a submission that is in its zone. */
export async function readItem(
  parts: ReviewParts,
  index: QueueIndex,
  row: QueuedSubmission,
  hinter: Hinter | undefined,
): Promise<ReadItem> {
  const { schema, tags } = parts;
  const curated = (await parts.curated.get(row.iri)) ?? null;
  const base = baseOfRow(row);
  const submitted = contentOf(row);
  const compared = compare(schema, tags, { submitted, curated, base });
  const merge = mergeRecords(schema, compared);
  const merged = merge.kind === 'merged' ? merge.result : null;
  const judged = merged ?? { className: row.class, record: recordOf(submitted) };
  const checked = schema.check(judged.className, asDefined(schema, judged.className, judged.record));
  const competing = index.on(row.iri).filter((other) => other.present && other.label !== row.label);
  const [own, ...others] = await rowsOf(parts, index, [row, ...competing], hinter);
  return {
    ...own!,
    submitted: recordOf(submitted),
    curated: jsonOf(curated),
    base: jsonOf(base),
    differences: claimDifferences(compared).map(withWords),
    merged: merged?.record ?? null,
    problems: checked.valid ? [] : checked.problems,
    references: await referencesFrom(parts, index, row),
    competing: others,
    decisions: index.decisionsOn(row.iri, MOST_DECISIONS),
  };
}

/** The references of a submission; those to other submissions of its zone are followed. */
async function referencesFrom(
  parts: ReviewParts,
  index: QueueIndex,
  row: QueuedSubmission,
): Promise<Reference[]> {
  const found = new Map<string, Reference>();
  const seen = new Set([row.iri]);
  const waiting: Content[] = [contentOf(row)];
  for (let content = waiting.shift(); content; content = waiting.shift()) {
    for (const pid of referencesOf(parts.schema, {
      className: content.className,
      record: recordOf(content),
    })) {
      if (found.size === MOST_REFERENCES) return [...found.values()];
      const iri = pidIri(parts, pid);
      if (seen.has(iri)) continue;
      seen.add(iri);
      const own = index.get(row.label, iri);
      if (own?.present) {
        found.set(iri, { pid: own.pid, in: 'zone', digest: own.digest, state: own.state });
        waiting.push(contentOf(own));
      } else {
        const [key] = await parts.curated.present([iri]);
        found.set(iri, { pid: key?.pid ?? pid, in: key ? 'curated' : 'nowhere', digest: null, state: null });
      }
    }
  }
  return [...found.values()];
}

function pidIri({ schema }: ReviewParts, pid: string): string {
  try {
    return resolvePid(schema, pid);
  } catch {
    return pid;
  }
}
