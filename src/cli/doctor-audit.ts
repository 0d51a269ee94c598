/** Whether the audit logs of a store have every change. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openReport, type Report } from '../audit/git/report.ts';
import { locate } from '../config/paths.ts';
import { parseJson } from '../json.ts';
import { storedEntries } from '../storage/maintenance.ts';
import { readArea } from '../storage/read-area.ts';
import { readYaml } from '../yaml/read.ts';
import { type Ailment, type Patient, warning } from './doctor-check.ts';
import { counted } from './print.ts';

const REMEDY =
  'The log follows while the service runs: start it, and look again. What is still missing is in the log of the service.';

/** Records and entries of the curated areas that a log does not have. */
export async function auditLogs({ root, configuration, areas }: Patient): Promise<Ailment[]> {
  const found: Ailment[] = [];
  for (const [collection, { audit_backends }] of Object.entries(configuration.collections)) {
    const area = areas.find((one) => one.collection === collection && one.area === 'curated');
    for (const { path } of audit_backends) {
      const log = locate(root, path, 'path');
      if (!existsSync(join(log, 'HEAD')) || !area) continue;
      const report = await openReport(log, /^/).catch((error: Error) => error);
      if (report instanceof Error) {
        const message = `${log}: ${report.message}`;
        found.push({ severity: 'error', check: 'audit', message, remedy: 'See docs/audit.md.' });
        continue;
      }
      try {
        found.push(...gaps(`'${collection}'`, log, recordsWithoutEntry(area.directory, report)));
        found.push(...(await missingEntries(`'${collection}'`, log, area.directory, report)));
      } finally {
        report.close();
      }
    }
  }
  return found;
}

function gaps(collection: string, log: string, missing: number): Ailment[] {
  if (missing === 0) return [];
  const have = missing === 1 ? 'has' : 'have';
  const message = `${counted(missing, 'curated record')} of ${collection} ${have} no entry in ${log}.`;
  return [warning('audit', message, REMEDY)];
}

function recordsWithoutEntry(directory: string, { pids }: Report): number {
  const known = new Set(pids);
  let missing = 0;
  for (const { kind, text } of readArea(directory)) {
    const pid = pidIn(kind, text);
    if (pid !== undefined && !known.has(pid)) missing += 1;
  }
  return missing;
}

/** Every change that the area has an entry of is in the log under its time. */
async function missingEntries(
  collection: string,
  log: string,
  directory: string,
  report: Report,
): Promise<Ailment[]> {
  const known = new Set(report.pids);
  const times = new Map<string, string[]>();
  for (const { pid, time } of storedEntries(directory)) {
    if (known.has(pid)) times.set(pid, [...(times.get(pid) ?? []), time]);
  }
  let missing = 0;
  let first: string | undefined;
  for (const [pid, wanted] of times) {
    const logged = new Set((await report.times(pid)).map(withMicroseconds));
    for (const time of wanted) {
      if (logged.has(time)) continue;
      missing += 1;
      first ??= `${pid}, ${time}`;
    }
  }
  if (first === undefined) return [];
  const message = `${log} lacks ${counted(missing, 'change')} of curated records of ${collection}, the first: ${first}.`;
  return [warning('audit', message, REMEDY)];
}

/** Python leaves out microseconds that are 0. */
function withMicroseconds(time: string): string {
  return time.replace(/(T\d\d:\d\d:\d\d)(?=[+Z])/, '$1.000000');
}

function pidIn(kind: 'yaml' | 'json', text: string): string | undefined {
  try {
    const value = (kind === 'yaml' ? readYaml(text) : parseJson(text)) as { pid?: unknown };
    return typeof value.pid === 'string' ? value.pid : undefined;
  } catch {
    return undefined;
  }
}
