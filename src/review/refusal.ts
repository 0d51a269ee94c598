/** Why a decision is refused: an error with what a curator needs to go on. */
import { type ErrorCode, ServiceError } from '../errors.ts';

/** The members of the body of the response besides `detail`. */
export type Explanation = Readonly<Record<string, unknown>>;

/** A {@link ServiceError} that also returns what has happened meanwhile, such as the digest of today. */
export class Refusal extends ServiceError {
  readonly explanation: Explanation;

  constructor(code: ErrorCode, message: string, explanation: Explanation = {}) {
    super(code, message);
    this.explanation = explanation;
  }
}
