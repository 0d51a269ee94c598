/**
 * The layout of a `gitaudit` repository, which the peer reads and writes too.
 *
 * The record with the pid *p* has two files, named after the SHA-1 of *p*: `.yaml` is its content, `.log` has one line
 * of JSON for each change. A commit holds at most one change of a record. A deleted record keeps a `.yaml` that says
 * so, since the peer's report asks every commit for that file; its line in the log is marked too.
 */
import { hash } from 'node:crypto';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { writeYaml } from '#linkml/yaml/write.ts';

export const BRANCH = 'refs/heads/master';
/** Outside of git, one pid a line: what the peer looks for records in. */
export const PID_FILE = 'gitaudit_index.log';
export const README = { path: 'README.txt', text: 'A git-based audit backend\n' };

/** The files of a record; `key` is the name that they share. */
type Location = { readonly key: string; readonly yaml: string; readonly log: string };

export function entryLocation(pid: string): Location {
  const key = hash('sha1', pid, 'hex');
  const stem = `${key.slice(0, 3)}/${key.slice(3, 6)}/${key}`;
  return { key, yaml: `${stem}.yaml`, log: `${stem}.log` };
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

/** Whether the last line of a `.log` is that of a delete. */
export function isDeleted(log: string): boolean {
  return log.slice(log.lastIndexOf('\n', log.length - 2) + 1).includes('"deleted": true');
}

/** Whether a `.log` has the line of a time. Times within an area are distinct. */
export function hasLine(log: string, timeStamp: string): boolean {
  return log.includes(`"time_stamp": ${jsonString(timeStamp)}}`);
}

/** Python ends a line at these characters too, and with it the peer its JSON. */
const PYTHON_LINE_BREAKS = /[\x85\u2028\u2029]/g;

function jsonString(text: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(PYTHON_LINE_BREAKS, escaped);
}

/** The `.yaml` after a change. */
export function writeContent(pid: string, json: string | undefined): string {
  return writeYaml(json === undefined ? { deleted: true, pid } : (parseJson(json) as JsonObject));
}
