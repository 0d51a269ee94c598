/** Log lines for people: time, level, message, and the facts behind it, instead of JSON. */
import { Writable } from 'node:stream';

const LOG_LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

/** What every line of pino has, and people need not see. */
const HIDDEN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err', 'name', 'v']);

/** One line of pino's JSON as text. */
export function textLine(json: string): string {
  let line: Record<string, unknown>;
  try {
    line = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return json;
  }
  const { level, time, msg = '', err } = line;
  const facts = Object.entries(line).flatMap(([key, value]) =>
    HIDDEN.has(key) || value === undefined ? [] : [`${key}=${factText(value)}`],
  );
  const word = LOG_LEVELS[level as number] ?? String(level);
  const head = `${new Date(time as number).toISOString()} ${word.padEnd(7)} ${msg}`;
  const stack = (err as { stack?: string } | undefined)?.stack;
  const tail = stack === undefined ? '' : `\n${stack.replace(/^/gm, '    ')}`;
  return `${[head, ...facts].join('  ').trimEnd()}${tail}\n`;
}

function factText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}

/** A destination of pino that writes text to another one. */
export function asText(destination: { write(line: string): unknown }): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      for (const line of String(chunk).split('\n')) if (line !== '') destination.write(textLine(line));
      done();
    },
  });
}
