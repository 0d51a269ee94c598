/** The choices of a reader of YAML. */
import type { JsonValue } from '../json.ts';
import type { YamlError } from './scan.ts';

/** The choices of a reader of YAML; by default, documents are read as PyYAML reads them. */
export type YamlOptions = {
  /**
   * If a mapping has a key twice: `last` uses the later value, as PyYAML does, `refuse` is an error. A function gets the
   * error, and the later value is used. Default `last`.
   */
  readonly duplicateKeys?: 'last' | 'refuse' | ((error: YamlError) => void);
  /**
   * How a key that is not a string becomes one: as JSON writes it (`true`), or as Python does (`True`). `refuse` is an
   * error. Default `json`.
   */
  readonly otherKeys?: 'json' | 'python' | 'refuse';
  /** Dates and times become strings as Python's `isoformat` writes them, or are an error. Default `string`. */
  readonly dates?: 'string' | 'refuse';
  /** Whether a sequence with Python's tag for tuples is a list, or an error. A function gets the lists. Default `refuse`. */
  readonly tuples?: 'list' | 'refuse' | ((list: JsonValue) => void);
  /** Values that a document may have, with those that aliases repeat; a million by default. */
  readonly mostValues?: number;
};
