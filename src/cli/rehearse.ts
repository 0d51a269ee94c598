/** `accession rehearse`: stored records against another schema, without a service. */
import { Schemas } from '../collections/schemas.ts';
import { compareSchemas } from '../migrate/compare-schemas.ts';
import { addToSummary, emptySummary, type JudgedRecord, judgeRecord } from '../migrate/judge.ts';
import { openSchema } from '../schema/schema.ts';
import { SILENT_LOG } from '../storage/log.ts';
import type { Given } from './command.ts';
import { openStore } from './open-store.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, write } from './print.ts';

/** Run by the table of commands. */
export async function rehearse(given: Given): Promise<number> {
  const to = await openSchema(given.text('schema') as string);
  const only = given.text('collection');
  const store = await openStore(given.args[0] as string);
  try {
    const open = new Schemas(store.root, SILENT_LOG, new Map(), { keep: false }).reading();
    const areas = (await store.areas()).filter(({ collection }) => only === undefined || collection === only);
    let broken = 0;
    for (const [collection, all] of Map.groupBy(areas, (area) => area.collection)) {
      const from = await open(all[0]!.config.schema);
      const comparison = compareSchemas(from, to);
      const summary = emptySummary();
      if (!given.is('json')) for (const { message } of comparison.changes) await write(`${message}\n`);
      for (const { area, store } of all) {
        for await (const record of store.scan({})) {
          const judged = judgeRecord(record, from, to, comparison);
          addToSummary(summary, judged, area);
          const { pid, className, outcome, problems, steps } = judged;
          if (given.is('json'))
            await write(
              `${JSON.stringify({ collection, in: area, pid, class: className, outcome, problems, steps })}\n`,
            );
          else if (outcome !== 'valid')
            await write(`${collection} ${area} ${pid}: ${outcome}${whyOf(judged)}\n`);
        }
      }
      const { newly_invalid, unreachable } = summary.by_outcome;
      broken += newly_invalid + unreachable;
      const outcomes = Object.entries(summary.by_outcome).map(([outcome, number]) => `${outcome} ${number}`);
      process.stderr.write(`${collection}: ${counted(summary.total, 'record')}, ${outcomes.join(', ')}\n`);
    }
    return broken > 0 ? PROBLEMS_FOUND : 0;
  } finally {
    await store.close();
  }
}

function whyOf({ problems, steps }: JudgedRecord): string {
  const reasons = problems.length > 0 ? problems.map(({ msg }) => msg) : steps.map(({ message }) => message);
  return reasons.length > 0 ? `: ${reasons.join('; ')}` : '';
}
