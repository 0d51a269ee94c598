/** Collects what is wrong with a schema, so that its author learns of everything at once. */
import { LinkmlError, type SchemaWarning } from './errors.ts';
import { Suggestions } from './suggestions.ts';

/** More are not reported. */
const MOST_FAULTS = 50;

export class Faults {
  readonly suggestions = new Suggestions();
  /** By message: classes inherit what is wrong with others. */
  readonly #found = new Map<string, LinkmlError>();

  /** Carries out a step, or notes why it cannot be. */
  collect(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.add(error);
    }
  }

  /** Notes a fault of the schema; any other error is thrown. */
  add(error: unknown): void {
    if (!(error instanceof LinkmlError)) throw error;
    if (this.#found.size < MOST_FAULTS) this.#found.set(error.message, error);
  }

  /**
   * @param warnings come with the error: an author who asks gets both at once
   * @throws LinkmlError `schema_invalid` with everything that was found
   */
  end(warnings: readonly SchemaWarning[] = []): void {
    const [first, ...more] = this.#found.values();
    if (first === undefined) return;
    const messages = [...this.#found.keys()];
    const problems = messages.map((msg) => ({ type: 'schema_invalid', loc: [], msg }));
    const error =
      more.length === 0 ? first : new LinkmlError('schema_invalid', messages.join('\n'), problems);
    throw Object.assign(error, { warnings: eachOnce(warnings) });
  }
}

/** Classes inherit what is reported of others. */
export function eachOnce(warnings: readonly SchemaWarning[]): SchemaWarning[] {
  return [...new Map(warnings.map((warning) => [warning.msg, warning])).values()];
}
