/**
 * Reads YAML as PyYAML's `safe_load` does. All YAML of the service is read here: records, schemas, configuration files
 * and the descriptions of record directories.
 *
 * Values are built while the text is scanned, without a tree of nodes in between.
 */

import { type FixedText, fixedText } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { Anchors } from './anchors.ts';
import { MappingMembers } from './mapping.ts';
import type { YamlOptions } from './options.ts';
import { ScalarError, STANDARD, TagHandles, taggedScalar } from './scalars.ts';
import { YamlError, YamlScanner } from './scan.ts';

export type { YamlOptions } from './options.ts';
export { YamlError } from './scan.ts';

/** Collections within collections. PyYAML ends at a third of it. */
const MOST_NESTED = 1000;
/** A key is on one line, and not longer. */
const LONGEST_KEY = 1024;

/**
 * The value of a YAML document. Scalars without quotes become numbers, booleans and null as in YAML 1.1.
 *
 * @throws YamlError
 */
export function readYaml(text: string, options: YamlOptions = {}): JsonValue {
  return new YamlReader(text, options).read();
}

/** The properties of a value: a tag, and a name that aliases refer to. */
type Properties = { readonly tag: string | undefined; readonly anchor: string | undefined };

/** What Python has for sequences that do not change. */
const TUPLE = `${STANDARD}python/tuple`;
const TUPLE_FOUND = fixedText(
  "found Python's tag for tuples, which YAML does not have; remove !!python/tuple to write a list",
);
const KEY_INCOMPLETE = fixedText(
  'a key, or the colon after it, is missing, or a value goes on without indentation',
);
const LIST_UNCLOSED = fixedText("a list that starts with '[' has no ']' where it has to end");
const MAPPING_UNCLOSED = fixedText("a mapping that starts with '{' has no '}' where it has to end");

const NONE: Properties = { tag: undefined, anchor: undefined };

class YamlReader {
  readonly #scanner: YamlScanner;
  readonly #options: YamlOptions;
  readonly #anchors: Anchors;
  readonly #handles = new TagHandles();
  #depth = 0;

  constructor(text: string, options: YamlOptions) {
    this.#scanner = new YamlScanner(text);
    this.#options = options;
    this.#anchors = new Anchors(options.mostValues);
  }

  read(): JsonValue {
    const scanner = this.#scanner;
    scanner.skip();
    const isMarked = this.#directives();
    if (scanner.at >= scanner.text.length && !isMarked) return null;
    if (scanner.isMarker('...')) throw scanner.error(fixedText("expected a value before '...'"));
    const value = this.#node(-1, !isMarked, false);
    scanner.skip();
    if (!scanner.atEnd) throw this.#unexpected(-1);
    while (scanner.isMarker('...')) {
      scanner.at += 3;
      scanner.skip();
    }
    if (scanner.isMarker('---')) throw new YamlError(fixedText('expected one YAML document, found several'));
    if (scanner.at < scanner.text.length) throw this.#unexpected(-1);
    return value;
  }

  /** Reads the lines that start with `%`. Returns whether `---` is behind them, or at the start. */
  #directives(): boolean {
    const scanner = this.#scanner;
    const isDirective = () => scanner.column === 0 && scanner.text[scanner.at] === '%';
    const hasDirectives = isDirective();
    while (isDirective()) {
      const [line] = /[^\r\n\x85\u2028\u2029]*/y.exec(scanner.text.slice(scanner.at))!;
      const [name = '', first = '', second = ''] = line.replace(/ #.*/, '').split(/ +/);
      if (name === '%YAML' && !/^1\.\d+$/.test(first))
        throw scanner.error(fixedText('the version of YAML is not supported, expected 1.1 or 1.2'));
      if (name === '%TAG') this.#handles.define(first, second);
      scanner.at += line.length;
      scanner.skip();
    }
    const isMarked = scanner.isMarker('---');
    if (hasDirectives && !isMarked)
      throw scanner.error(fixedText("expected '---' after the lines that start with '%'"));
    if (isMarked) scanner.at += 3;
    return isMarked;
  }

  /**
   * A value of block style.
   *
   * @param indent the indentation of the collection around it
   * @param mayStart whether a collection can start on this line
   * @param isOfKey whether it is the value of a key: the items of a list may then be as far to the left as the key
   * @param given its properties, on a line before it
   */
  #node(indent: number, mayStart: boolean, isOfKey: boolean, given = NONE): JsonValue {
    const scanner = this.#scanner;
    const canStart = scanner.skip() || mayStart;
    const { column, at, lineStart } = scanner;
    const isItem = scanner.isIndicator('-');
    if (scanner.atEnd || column < indent || (column === indent && !(isItem && isOfKey)))
      return this.#nothing(given);
    if (isItem || scanner.isIndicator('?')) {
      if (!canStart)
        throw scanner.error(
          isItem
            ? fixedText("'-' has to start a line of its own")
            : fixedText("'?' has to start a line of its own"),
        );
      const value = isItem ? this.#sequence(column, column === indent) : this.#mapping(column);
      return this.#withProperties({ kind: isItem ? 'seq' : 'map', value, at }, given);
    }
    const own = this.#properties();
    if (own !== NONE && (scanner.skip() || scanner.atEnd)) {
      if (given !== NONE) throw this.#twice(at);
      return this.#node(indent, true, isOfKey, own);
    }
    const read = this.#content(own, indent);
    if (this.#isColonBehind(at, lineStart)) {
      if (!canStart)
        throw scanner.error(
          fixedText("a second ': ' is on one line; put the value in quotes if it contains a colon"),
        );
      const value = this.#mapping(column, { key: this.#withProperties(read, own), at });
      return this.#withProperties({ kind: 'map', value, at }, given);
    }
    if (own !== NONE && given !== NONE) throw this.#twice(at);
    return this.#withProperties(read, own === NONE ? given : own);
  }

  /** A mapping of block style. Its first key may be read already. */
  #mapping(indent: number, first?: { readonly key: JsonValue; readonly at: number }): JsonObject {
    const scanner = this.#scanner;
    const entries = new MappingMembers(this.#options, scanner);
    this.#enter();
    let read = first;
    do {
      const at = read?.at ?? scanner.at;
      if (!read && scanner.isIndicator('?')) {
        scanner.at++;
        const key = this.#node(indent, true, true);
        scanner.skip();
        const hasValue = scanner.column === indent && scanner.isIndicator(':');
        if (hasValue) scanner.at++;
        entries.add(key, hasValue ? this.#node(indent, true, true) : null, at);
      } else {
        const key = read ? read.key : this.#key(indent);
        scanner.at++;
        entries.add(key, this.#node(indent, false, true), at);
      }
      read = undefined;
    } while (this.#isNext(indent));
    this.#depth--;
    return entries.object();
  }

  /** A key on one line, up to its colon. */
  #key(indent: number): JsonValue {
    const scanner = this.#scanner;
    const { at, lineStart } = scanner;
    if (scanner.isIndicator('-') || scanner.isIndicator(':')) throw this.#unexpected(indent);
    const properties = this.#properties();
    const key = this.#withProperties(this.#content(properties, indent), properties);
    if (this.#isColonBehind(at, lineStart)) return key;
    throw scanner.error(KEY_INCOMPLETE, at);
  }

  /** @param isOfKey whether its items are as far to the left as the key that it is the value of */
  #sequence(indent: number, isOfKey: boolean): JsonValue[] {
    const scanner = this.#scanner;
    const items: JsonValue[] = [];
    this.#enter();
    do {
      scanner.at++;
      items.push(this.#node(indent, true, false));
    } while (this.#isNext(indent) && this.#isNextItem(indent, isOfKey));
    this.#depth--;
    return items;
  }

  /** Goes to the next token: whether it belongs to the collection of this indentation. */
  #isNext(indent: number): boolean {
    const scanner = this.#scanner;
    scanner.skip();
    if (scanner.atEnd || scanner.column < indent) return false;
    if (scanner.column > indent) throw this.#unexpected(indent);
    return true;
  }

  #isNextItem(indent: number, isOfKey: boolean): boolean {
    const isItem = this.#scanner.isIndicator('-');
    if (!isItem && !isOfKey) throw this.#unexpected(indent);
    return isItem;
  }

  /** Whether a colon is behind a key, on its line. Goes to the colon. */
  #isColonBehind(start: number, lineStart: number): boolean {
    const scanner = this.#scanner;
    if (scanner.lineStart !== lineStart || scanner.at - start > LONGEST_KEY) return false;
    while (scanner.text[scanner.at] === ' ') scanner.at++;
    return scanner.isIndicator(':');
  }

  /** Reads the node behind properties, or without them: an empty one, if the colon of a key follows. */
  #content(properties: Properties, indent: number): UntaggedNode {
    if (properties === NONE || !this.#scanner.isIndicator(':')) return this.#read(indent, false);
    return { kind: 'plain', value: '', at: this.#scanner.at };
  }

  /** A scalar, an alias, or a collection in brackets. */
  #read(indent: number, inBrackets: boolean): UntaggedNode {
    const scanner = this.#scanner;
    const { at } = scanner;
    const first = scanner.text[at];
    if (first === '"' || first === "'") return { kind: 'quoted', value: scanner.quoted(), at };
    if (first === '[') return { kind: 'seq', value: this.#list(), at };
    if (first === '{') return { kind: 'map', value: this.#inlineMapping(), at };
    if (first === '*') return { kind: 'alias', value: this.#anchors.alias(scanner), at };
    if (!inBrackets && (first === '|' || first === '>'))
      return { kind: 'quoted', value: scanner.block(indent), at };
    return { kind: 'plain', value: scanner.plain(indent, inBrackets), at };
  }

  /** A list in brackets. `[a: b]` is a list of one mapping. */
  #list(): JsonValue[] {
    const items: JsonValue[] = [];
    this.#inBrackets(']', LIST_UNCLOSED, () => {
      const scanner = this.#scanner;
      const { at } = scanner;
      const item = this.#inlineKey();
      if (!this.#hasValue(item)) {
        items.push(item.value);
        return;
      }
      const entries = new MappingMembers(this.#options, scanner);
      entries.add(item.value, this.#inlineValue(), at);
      items.push(entries.object());
    });
    return items;
  }

  #inlineMapping(): JsonObject {
    const scanner = this.#scanner;
    const entries = new MappingMembers(this.#options, scanner);
    this.#inBrackets('}', MAPPING_UNCLOSED, () => {
      const { at } = scanner;
      const key = this.#inlineKey();
      entries.add(key.value, this.#hasValue(key) ? this.#inlineValue() : null, at);
    });
    return entries.object();
  }

  /** Reads what is between brackets, with commas between the members. */
  #inBrackets(end: string, unclosed: FixedText, member: () => void): void {
    const scanner = this.#scanner;
    const { at } = scanner;
    this.#enter();
    scanner.at++;
    for (scanner.skip(); scanner.text[scanner.at] !== end; scanner.skip()) {
      if (scanner.atEnd) throw scanner.error(unclosed, at);
      member();
      scanner.skip();
      if (scanner.text[scanner.at] === ',') scanner.at++;
      else if (scanner.text[scanner.at] !== end)
        throw scanner.atEnd || scanner.isIndicator(':')
          ? scanner.error(unclosed, at)
          : scanner.error(fixedText('expected a comma between two values in brackets'));
    }
    scanner.at++;
    this.#depth--;
  }

  /** A value in brackets that can be a key: with the line that its colon has to be on, or after `?`, any line. */
  #inlineKey(): {
    readonly value: JsonValue;
    readonly start: number;
    readonly lineStart: number | undefined;
  } {
    const scanner = this.#scanner;
    const { at: start, lineStart } = scanner;
    if (scanner.text[start] !== '?') return { value: this.#inlineNode(), start, lineStart };
    scanner.at++;
    scanner.skip();
    const isEmpty = ':,]}'.includes(scanner.text[scanner.at] ?? ',');
    return { value: isEmpty ? null : this.#inlineNode(), start, lineStart: undefined };
  }

  /** Whether a colon is behind a key in brackets. Goes past it. */
  #hasValue({ start, lineStart }: { start: number; lineStart: number | undefined }): boolean {
    const scanner = this.#scanner;
    scanner.skip();
    if (scanner.text[scanner.at] !== ':') return lineStart === undefined;
    const isOnLine = scanner.lineStart === lineStart && scanner.at - start <= LONGEST_KEY;
    if (lineStart !== undefined && !isOnLine) return false;
    scanner.at++;
    return true;
  }

  #inlineValue(): JsonValue {
    const scanner = this.#scanner;
    scanner.skip();
    return ',]}'.includes(scanner.text[scanner.at] ?? ' ') ? null : this.#inlineNode();
  }

  #inlineNode(): JsonValue {
    const scanner = this.#scanner;
    const properties = this.#properties();
    scanner.skip();
    if (properties !== NONE && ':,]}'.includes(scanner.text[scanner.at] ?? ' '))
      return this.#nothing(properties);
    return this.#withProperties(this.#read(-1, true), properties);
  }

  /** A tag and an anchor, in any order. */
  #properties(): Properties {
    const scanner = this.#scanner;
    let tag: string | undefined;
    let anchor: string | undefined;
    for (;;) {
      const { at } = scanner;
      const first = scanner.text[at];
      if (first === '!') {
        if (tag !== undefined) throw scanner.error(fixedText('a value has two tags'));
        tag = this.#handles.resolve(scanner.tag());
      } else if (first === '&') {
        if (anchor !== undefined) throw scanner.error(fixedText('a value has two anchors'));
        anchor = scanner.anchorName();
        if (this.#anchors.has(anchor))
          throw scanner.error(fixedText('an anchor occurs twice'), at, `the anchor &${anchor} occurs twice`);
      } else return tag === undefined && anchor === undefined ? NONE : { tag, anchor };
      if (tag !== undefined && anchor !== undefined) return { tag, anchor };
      while (scanner.text[scanner.at] === ' ') scanner.at++;
    }
  }

  /** A missing value: null, unless a tag makes it the empty string. */
  #nothing(properties: Properties): JsonValue {
    return this.#withProperties({ kind: 'plain', value: '', at: this.#scanner.at }, properties);
  }

  /** A value with its tag, under its anchor. */
  #withProperties(read: UntaggedNode, { tag, anchor }: Properties): JsonValue {
    const { kind, value, at } = read;
    if (kind === 'alias' && (tag !== undefined || anchor !== undefined))
      throw this.#scanner.error(fixedText('an alias cannot have a tag or an anchor'), at);
    this.#anchors.count();
    const tagged =
      kind === 'plain' || (kind === 'quoted' && tag !== undefined)
        ? this.#scalar(value as string, tag, at)
        : value;
    const { tuples = 'refuse' } = this.#options;
    const isTuple = kind === 'seq' && tag === TUPLE && tuples !== 'refuse';
    if (isTuple && typeof tuples === 'function') tuples(value);
    const isCollection = kind === 'map' || kind === 'seq';
    if (isCollection && !isTuple && tag !== undefined && tag !== STANDARD + kind && tag !== '!')
      throw tag === TUPLE
        ? this.#scanner.refusal(TUPLE_FOUND, at)
        : this.#scanner.refusal(
            fixedText('found a tag that is not supported'),
            at,
            `found the tag ${tag}, which is not supported`,
          );
    if (anchor !== undefined) this.#anchors.set(anchor, tagged);
    return tagged;
  }

  #scalar(text: string, tag: string | undefined, at: number): JsonValue {
    try {
      return taggedScalar(text, tag, this.#options.dates);
    } catch (error) {
      if (!(error instanceof ScalarError)) throw error;
      throw this.#scanner.refusal(error.words, at, error.message);
    }
  }

  #enter(): void {
    if (++this.#depth > MOST_NESTED) throw new YamlError(fixedText('the values are nested too deeply'));
  }

  #twice(at: number): YamlError {
    return this.#scanner.error(fixedText('a value has two tags or two anchors'), at);
  }

  /** The error of a token that does not belong to a collection of an indentation. */
  #unexpected(indent: number): YamlError {
    const scanner = this.#scanner;
    const lead = scanner.text.slice(scanner.lineStart, scanner.at);
    if (scanner.text[scanner.at] === '\t') return scanner.error(fixedText('found a tab; use spaces'));
    if (scanner.isIndicator(':')) return scanner.error(KEY_INCOMPLETE);
    if (lead.trim() === '' && scanner.column > indent && indent >= 0)
      return scanner.error(fixedText('the indentation differs from that of the lines it belongs to'));
    return scanner.error(fixedText('unexpected text; check the quotes, commas and indentation before it'));
  }
}

/** A node before its tag decides its meaning. */
type UntaggedNode = {
  readonly kind: 'plain' | 'quoted' | 'seq' | 'map' | 'alias';
  readonly value: JsonValue;
  readonly at: number;
};
