/** `accession audit`: reads audit logs, also of a service that runs, and of the peer. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openReport, type ReportedEntry, rebuildIndex } from '../audit/git/report.ts';
import { differences } from '../audit/record-diff.ts';
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { complain, complainOf, FAILURE, USAGE_ERROR } from './outcome.ts';

const USAGE = `usage: accession audit report <path> <pid-pattern> [--json]
       accession audit rebuild-index <path>

report         tells the changes of the records whose pid matches a regular expression: one JSON object a line with
               time-stamp, record-id, committer-id, author-id, diff and resulting-record. The pattern has to match the
               whole pid; '.*' matches all.
  --json       one JSON array instead, with records and differences as structures
rebuild-index  makes the index of the log anew; no service may use it meanwhile
`;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** @returns the exit status */
export async function audit(args: string[]): Promise<number> {
  let parsed: ReturnType<typeof readArguments>;
  try {
    parsed = readArguments(args);
  } catch (error) {
    return complain(`${(error as Error).message}\n\n${USAGE}`, USAGE_ERROR);
  }
  const { values, command, path, pattern } = parsed;
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  try {
    if (command === 'report' && path !== undefined && pattern !== undefined) {
      return await report(path, pattern, values.json);
    }
    if (command === 'rebuild-index' && path !== undefined && pattern === undefined)
      return await rebuild(path);
  } catch (error) {
    return complainOf(error, FAILURE);
  }
  const expected = EXPECTED[command ?? ''] ?? "expected 'report' or 'rebuild-index'";
  return complain(`${expected}\n\n${USAGE}`, USAGE_ERROR);
}

/** What the arguments of each command are, for whoever gives others. */
const EXPECTED: Readonly<Record<string, string>> = {
  report: "'report' takes the path of a log and a pattern of pids",
  'rebuild-index': "'rebuild-index' takes the path of a log",
};

function readArguments(args: string[]) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [command, path, pattern, ...more] = positionals;
  if (more.length > 0) throw new Error(`unexpected argument '${more[0]}'`);
  return { values, command, path: path === undefined ? undefined : resolve(path), pattern };
}

async function report(path: string, pattern: string, asJson: boolean): Promise<number> {
  const expression = readPattern(pattern);
  if (expression instanceof Error)
    return complain(`the pattern of pids can't be used: ${expression.message}`, FAILURE);
  const found = await openReport(path, expression);
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

async function rebuild(path: string): Promise<number> {
  const records = await rebuildIndex(path);
  process.stderr.write(`indexed ${records} records\n`);
  return 0;
}

/** The pattern has to match the whole pid. */
function readPattern(pattern: string): RegExp | Error {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch (error) {
    return error as Error;
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
    changes: differences(before, after) as unknown as JsonObject[],
    record: after ?? null,
    commit: entry.commit,
  });
}

/** Waits while the reader of the output is slower than we are. */
async function write(text: string): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise((done) => process.stdout.once('drain', done));
}
