/** The JSON of a record in pieces, so that values with problems can be marked in it. */
import { isObject, type Json } from '../shared/json.ts';

type Piece = { readonly text: string; readonly isFault: boolean };

/**
 * The text of `JSON.stringify(value, null, 2)` in pieces.
 *
 * @param faults paths with `/` between their parts; of an object or a list, the bracket is marked
 */
export function jsonPieces(value: Json, faults: ReadonlySet<string>): Piece[] {
  const pieces: Piece[] = [];
  const add = (text: string, isFault = false) => pieces.push({ text, isFault });
  const write = (one: Json, path: string, indent: string) => {
    const isList = Array.isArray(one);
    if (!isList && !isObject(one)) return add(JSON.stringify(one), faults.has(path));
    const entries = (
      isList ? [...one.entries()] : Object.entries(one).filter(([, member]) => member !== undefined)
    ) as (readonly [string | number, Json])[];
    const [open, close] = isList ? '[]' : '{}';
    add(open!, faults.has(path));
    for (const [index, [key, member]] of entries.entries()) {
      add(`${index > 0 ? ',' : ''}\n${indent}  ${isList ? '' : `${JSON.stringify(key)}: `}`);
      write(member, path === '' ? String(key) : `${path}/${key}`, `${indent}  `);
    }
    add(entries.length > 0 ? `\n${indent}${close}` : close!);
  };
  write(value, '', '');
  return pieces;
}
