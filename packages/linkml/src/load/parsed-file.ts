/** A schema file that another thread has parsed: to parse a long one is one step, for which requests would wait. */

import { Faults } from '../faults.ts';
import { type JsonValue, parseJson } from '../json.ts';
import { isMapping } from './definitions.ts';
import { parseYaml, withoutPrototypes, type YamlMapping, type YamlValue } from './yaml.ts';

export class ParsedFile {
  readonly text: string;
  readonly source: YamlMapping;

  constructor(text: string, source: YamlMapping) {
    this.text = text;
    this.source = source;
  }
}

/** A part of a file as JSON: an element of it, or some members of the mapping under its name. */
export type Piece = { readonly name: string; readonly json: string; readonly isPart: boolean };

/** The members of one piece. */
const MEMBERS = 1000;

/** The pieces of a file without faults. */
export function piecesOf(text: string): Piece[] {
  return Object.entries(parseYaml(text, '', new Faults()) as YamlMapping).flatMap(
    ([name, value]): Piece[] => {
      if (!isMapping(value)) return [{ name, json: JSON.stringify(value), isPart: false }];
      const members = Object.entries(value);
      const pieces: Piece[] = [];
      for (let at = 0; at === 0 || at < members.length; at += MEMBERS) {
        const json = JSON.stringify(Object.fromEntries(members.slice(at, at + MEMBERS)));
        pieces.push({ name, json, isPart: true });
      }
      return pieces;
    },
  );
}

/** Puts the pieces of a file together. @param yieldIfDue called between them */
export async function fromPieces(
  text: string,
  pieces: readonly Piece[],
  yieldIfDue: () => Promise<void>,
): Promise<ParsedFile> {
  const source: YamlMapping = Object.create(null);
  for (const { name, json, isPart } of pieces) {
    const value: YamlValue = withoutPrototypes(parseJson(json) as JsonValue);
    if (isPart && Object.hasOwn(source, name)) Object.assign(source[name] as YamlMapping, value);
    else source[name] = value;
    await yieldIfDue();
  }
  return new ParsedFile(text, source);
}
