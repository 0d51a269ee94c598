/** Collects what is wrong with a schema, so that its author learns of everything at once. */
import { LinkmlError } from '../errors.ts';

/** More are not reported. */
const MOST_FAULTS = 50;

export class Faults {
  /** By message: classes inherit what is wrong with others. */
  readonly #found = new Map<string, LinkmlError>();

  /** Carries out a step, or notes why it cannot be. */
  collect(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (!(error instanceof LinkmlError)) throw error;
      this.add(error);
    }
  }

  add(error: LinkmlError): void {
    if (this.#found.size < MOST_FAULTS) this.#found.set(error.message, error);
  }

  /** @throws LinkmlError `schema_invalid` with everything that was found */
  end(): void {
    const [first, ...more] = this.#found.values();
    if (first === undefined) return;
    if (more.length === 0) throw first;
    const messages = [...this.#found.keys()];
    const problems = messages.map((msg) => ({ type: 'schema_invalid', loc: [], msg }));
    throw new LinkmlError('schema_invalid', messages.join('\n'), problems);
  }
}
