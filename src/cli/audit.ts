/** `accession audit`: reads audit logs, also of a service that runs, and of the peer. */
import { resolve } from 'node:path';
import { openReport, type ReportedEntry, rebuildIndex } from '../audit/git/report.ts';
import { recordDifferences } from '../audit/record-diff.ts';
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { type Given, UsageError } from './command.ts';
import { counted, write } from './print.ts';

/** `accession audit report`: one JSON object a line, as the peer's command prints it. */
export async function auditReport(given: Given): Promise<number> {
  const [path = '', pattern = ''] = given.args;
  const asJson = given.is('json');
  const expression = readPattern(pattern);
  const found = await openReport(resolve(path), expression);
  try {
    let separator = '[\n';
    for (const pid of found.pids) {
      let before: JsonValue | undefined;
      for (const entry of await found.entries(pid)) {
        const after = entry.json === undefined ? undefined : parseJson(entry.json);
        if (asJson) await write(`${separator}${structured(entry, before, after)}`);
        else await write(`${line(entry)}\n`);
        separator = ',\n';
        before = after;
      }
    }
    if (asJson) await write(separator === '[\n' ? '[]\n' : '\n]\n');
  } finally {
    found.close();
  }
  return 0;
}

/** `accession audit rebuild-index` */
export async function rebuild(given: Given): Promise<number> {
  const records = await rebuildIndex(resolve(given.args[0] as string));
  process.stderr.write(`indexed ${counted(records, 'record')}\n`);
  return 0;
}

/** The pattern has to match the whole pid. @throws UsageError */
function readPattern(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch (error) {
    throw new UsageError(`The pattern of pids cannot be used: ${(error as Error).message}`);
  }
}

/** One line as the peer's command prints it. */
function line(entry: ReportedEntry): string {
  const members = {
    'time-stamp': entry.timeStamp,
    'record-id': entry.pid,
    'committer-id': entry.committerId,
    'author-id': entry.authorId,
    diff: entry.diff === '' ? '\n' : entry.diff,
    'resulting-record': entry.yaml,
  };
  const texts = Object.entries(members).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
  return `{${texts.join(', ')}}`;
}

function structured(
  entry: ReportedEntry,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): string {
  return canonicalJson({
    pid: entry.pid,
    time_stamp: entry.timeStamp,
    committer_id: entry.committerId,
    author_id: entry.authorId,
    deleted: after === undefined,
    changes: recordDifferences(before, after) as unknown as JsonObject[],
    record: after ?? null,
    commit: entry.commit,
  });
}
