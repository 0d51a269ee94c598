/** What changed between two texts: words, spaces and punctuation that were added or removed. */

export type Piece = { readonly kind: 'same' | 'added' | 'removed'; readonly text: string };

const MOST_CHARACTERS = 20_000;
const LEAST_COMMON = 0.3;
const MOST_CELLS = 4_000_000;

/** The pieces of both texts in order. If too little is common, the whole text is replaced. */
export function compareWords(before: string, after: string): Piece[] {
  if (before === after) return [{ kind: 'same', text: after }];
  const split =
    before.length + after.length > MOST_CHARACTERS ? /(?<=\n)/ : /(\s+|\.(?!\p{N})|[^\p{L}\p{N}\s.])/u;
  const a = before.split(split).filter((token) => token !== '');
  const b = after.split(split).filter((token) => token !== '');
  const pieces = compare(a, b);
  const common = pieces
    .filter(({ kind }) => kind === 'same')
    .reduce((sum, { text }) => sum + text.trim().length, 0);
  if (common < LEAST_COMMON * Math.max(before.length, after.length)) {
    return [
      { kind: 'removed' as const, text: before },
      { kind: 'added' as const, text: after },
    ].filter(({ text }) => text !== '');
  }
  return pieces;
}

function compare(a: readonly string[], b: readonly string[]): Piece[] {
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  const pieces: Piece[] = [];
  add(pieces, 'same', a.slice(0, start));
  if (left.length * right.length > MOST_CELLS) {
    add(pieces, 'removed', left);
    add(pieces, 'added', right);
  } else longestCommon(pieces, left, right);
  add(pieces, 'same', a.slice(a.length - end));
  return pieces;
}

/** The classic table of longest common subsequences; small, since common ends are cut off before. */
function longestCommon(pieces: Piece[], a: readonly string[], b: readonly string[]): void {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(pieces, 'same', [a[i]!]);
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      add(pieces, 'removed', [a[i]!]);
      i++;
    } else {
      add(pieces, 'added', [b[j]!]);
      j++;
    }
  }
}

function add(pieces: Piece[], kind: Piece['kind'], tokens: readonly string[]): void {
  if (tokens.length === 0) return;
  const last = pieces.at(-1);
  const text = tokens.join('');
  if (last?.kind === kind) pieces[pieces.length - 1] = { kind, text: last.text + text };
  else pieces.push({ kind, text });
}
