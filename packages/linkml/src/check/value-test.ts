/** The test of a value. */
import type { JsonValue } from '../json.ts';
import type { Accepted, RecordPath, Run } from './report.ts';

/** Judges a value: given as it came, and in its canonical form. Problems are noted in the run. */
export type ValueTest = (canonical: JsonValue, given: JsonValue, at: RecordPath, run: Run) => Accepted;
