/** Bodies that do not have the form of an endpoint, for a collection `lab` with the example schema: those of modules are in `bodies.expected.ts`. */
import type { TestService } from './app.ts';

/** A body, the status, and each problem as `location: message`; a refusal without problems has its sentence alone. */
type BadBody = readonly [body: unknown, status: number, ...problems: string[]];

export type BadBodies = {
  /** Method and path. `ID` is what `prepare` returns. */
  readonly to: string;
  /** The curator of the collection sends them if there is none. */
  readonly token?: string;
  readonly prepare?: (service: TestService) => Promise<string>;
  readonly bad: readonly BadBody[];
};
