/** Where in a file the value at a path is: line and column, for messages that an editor can follow. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { YamlError } from '#linkml/yaml/scan.ts';

export type Location = { readonly line: number; readonly column: number };

export const START: Location = { line: 1, column: 1 };

/** Finds values in one YAML or JSON text. The text is parsed when the first value is looked up. */
export function locator(text: string): {
  /** The value at a path, or the nearest that contains it. */
  of(path: readonly (string | number)[]): Location;
  /** Finds what makes the text unreadable: the place that an error names, or the first syntax error. */
  fault(error?: unknown): Location | undefined;
} {
  let parsed: { contents: unknown; error: number | undefined; lines: LineCounter } | undefined;
  const read = () => {
    if (parsed) return parsed;
    const lines = new LineCounter();
    const document = parseDocument(text, {
      version: '1.1',
      lineCounter: lines,
      uniqueKeys: false,
      logLevel: 'silent',
    });
    parsed = { contents: document.contents, error: document.errors[0]?.pos[0], lines };
    return parsed;
  };
  const location = (offset: number): Location => {
    const { line, col } = read().lines.linePos(offset);
    return line === 0 ? START : { line, column: col };
  };
  return {
    of: (path) => location(offsetOf(read().contents, path)),
    fault(problem) {
      if (problem instanceof YamlError) return problem.location;
      const { error } = read();
      return error === undefined ? undefined : location(error);
    },
  };
}

function offsetOf(contents: unknown, path: readonly (string | number)[]): number {
  let node = contents;
  let offset = startOf(node) ?? 0;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => String(isScalar(item.key) ? item.key.value : item.key) === String(key),
      );
      if (!pair) return offset;
      node = pair.value;
      offset = (isScalar(node) ? startOf(node) : startOf(pair.key)) ?? startOf(pair.key) ?? offset;
    } else if (isSeq(node)) {
      if (node.items[Number(key)] === undefined) return offset;
      node = node.items[Number(key)];
      offset = startOf(node) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
