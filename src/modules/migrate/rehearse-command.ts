/** `accession schema rehearse`: stored records against another schema, without a service. */

import type { OpenToRead } from '../../cli/module.ts';
import type { OpenStore, StoreArea } from '../../cli/opened-store.ts';
import { PROBLEMS_FOUND } from '../../cli/outcome.ts';
import { countText, write } from '../../cli/print.ts';
import { requirePids } from '../../core/schema/record-classes.ts';
import { openSchema, openSchemaText, type Schema } from '../../core/schema/schema.ts';
import { compareSchemas } from './compare-schemas.ts';
import { addToSummary, emptySummary, type JudgedRecord, judgeRecord } from './judge.ts';
import { lastSchema } from './schema-edits.ts';

type RehearseOptions = {
  readonly schema: string;
  readonly collection?: string;
  readonly json?: boolean;
};

export const rehearse =
  (openStore: OpenToRead) =>
  async (place: string, options: RehearseOptions): Promise<number> => {
    const { collection: only, json } = options;
    await using store = await openStore(place);
    const open = store.schemas();
    const areas = (await store.areas()).filter(({ collection }) => only === undefined || collection === only);
    let broken = 0;
    for (const [collection, all] of Map.groupBy(areas, (area) => area.collection)) {
      const from = await schemaInForce(store, all, await open(all[0]!.config));
      const to = await openSchema(options.schema, { terms: from.terms });
      requirePids(to, all[0]!.config);
      const comparison = compareSchemas(from, to);
      const summary = emptySummary();
      if (!json) for (const { message } of comparison.changes) await write(`${message}\n`);
      for (const { area, store } of all) {
        for await (const record of store.scan({})) {
          const result = judgeRecord(record, from, to, comparison);
          addToSummary(summary, result, area);
          const { pid, className, outcome, problems, steps } = result;
          const row = { collection, in: area, pid, class: className, outcome, problems, steps };
          if (json) await write(`${JSON.stringify(row)}\n`);
          else if (outcome !== 'valid')
            await write(`${collection} ${area} ${pid}: ${outcome}${whyOf(result)}\n`);
        }
      }
      const { newly_invalid, unreachable } = summary.by_outcome;
      broken += newly_invalid + unreachable;
      const outcomes = Object.entries(summary.by_outcome).map(([outcome, number]) => `${outcome} ${number}`);
      process.stderr.write(`${collection}: ${countText(summary.total, 'record')}, ${outcomes.join(', ')}\n`);
    }
    return broken > 0 ? PROBLEMS_FOUND : 0;
  };

/** The schema that records fit today: an edit of its file takes effect at the next start. */
async function schemaInForce(
  { database }: OpenStore,
  areas: readonly StoreArea[],
  found: Schema,
): Promise<Schema> {
  const curated = areas.find(({ area }) => area === 'curated');
  const last = curated && (await lastSchema(database, { name: curated.collection, curated: curated.store }));
  if (last === undefined || last.digest === found.digest) return found;
  return openSchemaText(last.text, found.address, { terms: found.terms });
}

function whyOf({ problems, steps }: JudgedRecord): string {
  const reasons = problems.length > 0 ? problems.map(({ msg }) => msg) : steps.map(({ message }) => message);
  return reasons.length > 0 ? `: ${reasons.join('; ')}` : '';
}
