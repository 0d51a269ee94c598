/** What has changed from one release to the next: both have their records in one order, so one walk through them finds it. */
import type { Readable } from 'node:stream';
import { compareCodePoints } from '../json.ts';

/** A line of `records.jsonl`. */
type Line = { readonly pid: string; readonly json: string };

export type ReleaseChange = {
  readonly kind: 'created' | 'replaced' | 'deleted';
  readonly pid: string;
};

/** The records in a `records.jsonl`. */
export async function* linesOf(file: Readable): AsyncGenerator<Line> {
  let rest = '';
  for await (const chunk of file.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const json of lines) yield { pid: (JSON.parse(json) as Line).pid, json };
  }
}

/** The changes that lead from one list of records to another one, both in pid order. */
export async function* changesBetween(
  former: AsyncIterable<Line>,
  present: AsyncIterable<Line>,
): AsyncGenerator<ReleaseChange> {
  const before = former[Symbol.asyncIterator]();
  let { value: old } = await before.next();
  for await (const { pid, json } of present) {
    while (old && compareCodePoints(old.pid, pid) < 0) {
      yield { kind: 'deleted', pid: old.pid };
      ({ value: old } = await before.next());
    }
    if (old?.pid !== pid) yield { kind: 'created', pid };
    else {
      if (old.json !== json) yield { kind: 'replaced', pid };
      ({ value: old } = await before.next());
    }
  }
  for (; old; { value: old } = await before.next()) yield { kind: 'deleted', pid: old.pid };
}
