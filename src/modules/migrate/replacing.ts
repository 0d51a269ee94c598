/** What another schema in `PUT /collections` means for the records of the collection, before it is carried out or instead of it. */
import { setTimeout as delay } from 'node:timers/promises';
import { termsOf } from '../../core/collections/terms.ts';
import { parseCollection } from '../../core/config/parse.ts';
import { TIMEOUT } from '../../core/durations.ts';
import type { Replacing } from '../../core/http/endpoint.ts';
import { requirePids } from '../../core/schema/record-classes.ts';
import { type DryRun, dryRunReport } from './dry-runs.ts';
import { rehearsalSchema } from './endpoints.ts';
import { migratePart } from './part.ts';
import { schemaBreaksRecords } from './switch.ts';

export const replacing: Replacing = {
  response: rehearsalSchema,
  async rehearse(call, body, author, { dryRun, ifValid }) {
    const { registry, administration } = call.service;
    const config = parseCollection(body, administration.schemas);
    const running = registry.current().collections.get(String(body.name));
    if ((!running && !dryRun) || typeof body.schema !== 'string') return undefined;
    const to = await registry.trySchema({ address: body.schema }, running && termsOf(running.config));
    if (to.digest !== running?.schema.digest) requirePids(to, config);
    if (!running || (to.digest === running.schema.digest && !dryRun)) return undefined;
    const run = running
      .part(migratePart)
      .changes.start({ to, by: author, vocabularies: termsOf(running.config) });
    if (dryRun || ifValid) await run.done;
    else await Promise.race([run.done, delay(TIMEOUT.replacement, undefined, { ref: false })]);
    const broken = brokenBy(run);
    if (ifValid && !dryRun && broken > 0) throw refusalOf(run, broken);
    if (run.state === 'done' && broken > 0) call.reply.header('accession-newly-invalid', String(broken));
    return dryRunReport(run);
  },
};

/** The number of records that would not fit as they are. */
function brokenBy({ summary }: DryRun): number {
  const { newly_invalid, unreachable, mendable } = summary.by_outcome;
  return newly_invalid + unreachable + mendable;
}

function refusalOf({ items }: DryRun, broken: number) {
  const unfit = items.filter(({ outcome }) => outcome !== 'invalid_before');
  return schemaBreaksRecords(
    unfit.map(({ pid, problems }) => ({ pid, why: problems[0]?.msg })),
    broken,
  );
}
