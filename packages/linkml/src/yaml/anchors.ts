/** Values of YAML that aliases repeat. */

import { fixedText } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { YamlError, type YamlScanner } from './scan.ts';

/** The values of anchors that are complete, and how many values a document has. */
export class Anchors {
  readonly #values = new Map<string, JsonValue>();
  readonly #most: number;
  #count = 0;

  /** @param most values of a document: more can only come from aliases of aliases */
  constructor(most = 1_000_000) {
    this.#most = most;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  set(name: string, value: JsonValue): void {
    this.#values.set(name, value);
  }

  /** Counts a value. @throws YamlError if there are too many */
  count(): void {
    if (++this.#count > this.#most)
      throw new YamlError(
        fixedText('aliases expand to too many values'),
        undefined,
        `aliases expand to more than ${this.#most.toLocaleString('en')} values`,
      );
  }

  /** Reads an alias: a copy of a value, so that what is changed in one place does not change the other. */
  alias(scanner: YamlScanner): JsonValue {
    const { at } = scanner;
    const value = this.#values.get(scanner.anchorName());
    if (value === undefined)
      throw scanner.refusal(fixedText('found an alias without a value with this anchor before it'), at);
    return this.#copy(value);
  }

  #copy(value: JsonValue): JsonValue {
    this.count();
    if (Array.isArray(value)) return value.map((item) => this.#copy(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.#copy(member)]));
  }
}
