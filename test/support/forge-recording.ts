/** What a real forge answered, as `test/fixtures/forge/answers.json` keeps it. */
export type RecordedAnswer = {
  /** What had happened on the forge before; empty for the forge as it was set up. */
  readonly scene: string;
  /** Whose token asked, see `forge-cases.ts`. */
  readonly holder: string;
  /** Path and query below the address of the API. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the answer, or its text where it is none. */
  readonly body: unknown;
};

/** Headers that are kept: those that a client of a forge can go by. */
export const RECORDED_HEADERS = ['content-type', 'link', 'location', 'x-total-count', 'retry-after'];

/** Stands in recorded answers for the address of the forge. */
export const RECORDED_ORIGIN = 'http://forge.example';
