/**
 * The layout of a `gitaudit` repository, which the peer reads and writes too.
 *
 * The record with the pid *p* has two files, named after the SHA-1 of *p*: `.yaml` is its content, `.log` has one line
 * of JSON for each change. A commit holds at most one change of a record. A deleted record keeps a `.yaml` that says
 * so, since the peer's report asks every commit for that file; its line in the log is marked too.
 */
import { createHash } from 'node:crypto';
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { readYaml } from '../../yaml/read.ts';
import { writeYaml } from '../../yaml/write.ts';

export const BRANCH = 'refs/heads/master';
/** Outside of git, one pid a line: what the peer looks for records in. */
export const PID_FILE = 'gitaudit_index.log';
export const README = { path: 'README.txt', text: 'A git-based audit backend\n' };

/** The files of a record; `key` is the name that they share. */
export type Location = { readonly key: string; readonly yaml: string; readonly log: string };

export function entryLocation(pid: string): Location {
  return locationOfKey(createHash('sha1').update(pid).digest('hex'));
}

function locationOfKey(key: string): Location {
  const stem = `${key.slice(0, 3)}/${key.slice(3, 6)}/${key}`;
  return { key, yaml: `${stem}.yaml`, log: `${stem}.log` };
}

/** The key and the kind of a file in the tree; undefined for a file that does not belong to a record. */
export function readPath(path: string): { key: string; kind: 'yaml' | 'log' } | undefined {
  const match = /^[\da-f]{3}\/[\da-f]{3}\/([\da-f]{40})\.(yaml|log)$/.exec(path);
  return match ? { key: match[1] as string, kind: match[2] as 'yaml' | 'log' } : undefined;
}

/** One line of a `.log` file. */
export type LogLine = {
  readonly timeStamp: string;
  readonly committerId: string;
  readonly authorId: string;
  readonly deleted: boolean;
};

/** A line with its line break, keys and blanks as the peer writes them. */
export function writeLogLine({ timeStamp, committerId, authorId, deleted }: LogLine): string {
  const members = [
    `"author_id": ${jsonString(authorId)}`,
    `"committer_id": ${jsonString(committerId)}`,
    ...(deleted ? ['"deleted": true'] : []),
    `"time_stamp": ${jsonString(timeStamp)}`,
  ];
  return `{${members.join(', ')}}\n`;
}

/** Python ends a line at these characters too, and with it the peer its JSON. */
const PYTHON_LINE_BREAKS = /[\x85\u2028\u2029]/g;

function jsonString(text: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(PYTHON_LINE_BREAKS, escaped);
}

/** The lines of a `.log` file, without line breaks. */
export function splitLog(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

export function readLogLine(line: string): LogLine {
  const { time_stamp, committer_id, author_id, deleted } = parseJson(line) as JsonObject;
  return {
    timeStamp: String(time_stamp),
    committerId: String(committer_id),
    authorId: String(author_id),
    deleted: deleted === true,
  };
}

/** The `.yaml` after a change. */
export function writeContent(pid: string, json: string | undefined): string {
  return writeYaml(json === undefined ? { deleted: true, pid } : (parseJson(json) as JsonObject));
}

/** The canonical JSON text of a `.yaml`. */
export function readContent(yaml: string): string {
  return canonicalJson(readYaml(yaml));
}

/** The pid of a record, from its `.yaml`. */
export function readPid(yaml: string): string | undefined {
  const record = readYaml(yaml);
  return isJsonObject(record) && typeof record.pid === 'string' ? record.pid : undefined;
}

/** The name that git gives to the content of a file. */
export function blobName(content: string): string {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
