/** `accession rehearse` and `accession check --records`: stored records against a schema, without a service. */
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from '../json.ts';
import { openSchema } from '../schema/schema.ts';
import { compareSchemas } from '../migrate/compare-schemas.ts';
import { recordProblems } from '../curate/faults.ts';
import { addToSummary, emptySummary, judgeRecord } from '../migrate/judge.ts';
import { readArea } from '../storage/read-area.ts';
import { readYaml } from '../yaml/read.ts';
import { type AreaDirectory, storeAreas } from './areas.ts';
import type { Given } from './command.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, write } from './print.ts';

type Stored = { readonly pid: string; readonly className: string; readonly json: string };

/** Run by the table of commands. */
export async function rehearse(given: Given): Promise<number> {
  const to = await openSchema(given.text('schema') as string);
  const only = given.text('collection');
  const areas = (await storeAreas(given.args[0] as string)).filter(
    ({ collection }) => only === undefined || collection === only,
  );
  let broken = 0;
  for (const [collection, all] of Map.groupBy(areas, (area) => area.collection)) {
    const from = await openSchema(all[0]?.schema as string);
    const comparison = compareSchemas(from, to);
    const summary = emptySummary();
    if (!given.is('json')) for (const { message } of comparison.changes) await write(`${message}\n`);
    for (const { area, directory } of all) {
      for (const record of recordsIn(directory)) {
        const rehearsed = judgeRecord(record, from, to, comparison);
        addToSummary(summary, rehearsed, area);
        const { pid, className, outcome, problems, steps } = rehearsed;
        if (given.is('json'))
          await write(
            `${JSON.stringify({ collection, in: area, pid, class: className, outcome, problems, steps })}\n`,
          );
        else if (outcome !== 'valid')
          await write(`${collection} ${area} ${pid}: ${outcome}${whyOf(rehearsed)}\n`);
      }
    }
    const { newly_invalid, unreachable } = summary.by_outcome;
    broken += newly_invalid + unreachable;
    const outcomes = Object.entries(summary.by_outcome).map(([outcome, number]) => `${outcome} ${number}`);
    process.stderr.write(`${collection}: ${counted(summary.total, 'record')}, ${outcomes.join(', ')}\n`);
  }
  return broken > 0 ? PROBLEMS_FOUND : 0;
}

function whyOf({ problems, steps }: ReturnType<typeof judgeRecord>): string {
  const reasons = problems.length > 0 ? problems.map(({ msg }) => msg) : steps.map(({ message }) => message);
  return reasons.length > 0 ? `: ${reasons.join('; ')}` : '';
}

/** A stored record that does not fit its schema, for `accession check --records`. */
export type Misfit = {
  readonly collection: string;
  readonly area: string;
  readonly path: string;
  readonly message: string;
};

/** The records of areas that do not fit the schemas of their collections. */
export async function* misfits(areas: readonly AreaDirectory[]): AsyncGenerator<Misfit> {
  for (const { collection, area, directory, schema: address } of areas) {
    const schema = await openSchema(address);
    for (const record of recordsIn(directory)) {
      const problems = recordProblems(schema, record);
      if (problems.length === 0) continue;
      yield { collection, area, path: record.pid, message: misfitMessage(problems) };
    }
  }
}

/** The problems of a record in one line. */
export function misfitMessage(problems: ReturnType<typeof recordProblems>): string {
  return problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`.replace(/^: /, '')).join('; ');
}

function* recordsIn(directory: string): Generator<Stored> {
  for (const { kind, text, className } of readArea(directory)) {
    const record = objectIn(text, kind);
    if (record) yield { pid: String(record.pid ?? ''), className, json: canonicalJson(record) };
  }
}

/** What cannot be read is for `accession check`. */
function objectIn(text: string, kind: 'yaml' | 'json'): JsonObject | undefined {
  try {
    const value = kind === 'yaml' ? readYaml(text) : parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
