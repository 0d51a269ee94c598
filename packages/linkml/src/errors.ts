/** The errors and warnings of the LinkML engine. It throws {@link LinkmlError} alone. */

/** One thing that is wrong with an input: where, what was found, what was expected. */
export type Problem = {
  /** The kind of problem, stable and in snake_case, for programs. */
  readonly type: string;
  /** The path to the offending value, from the root of the input; empty for the input as a whole. */
  readonly loc: readonly (string | number)[];
  /** One sentence for a person. */
  readonly msg: string;
  /** The offending value, if it is small enough to be repeated. */
  readonly input?: unknown;
  /** The value to use instead, if only one is right: the term that replaces an obsolete one, the label of a term. */
  readonly instead?: string;
};

/** A warning about a schema that opens. */
export type SchemaWarning = {
  /** By which programs can distinguish warnings. */
  readonly type: WarningType;
  /** One sentence for a person. */
  readonly msg: string;
  /** Of `vocabulary_missing`, the vocabularies without whose snapshots values are not checked. */
  readonly vocabularies?: readonly string[];
};

export type WarningType =
  /** Elements exclude each other, or only one of them can be used. */
  | 'contradiction'
  /** No class has records. */
  | 'no_records'
  /** An element, a keyword or a pattern has no effect, or less than in LinkML. */
  | 'not_enforced'
  /** An element of one file is replaced by that of another. */
  | 'replaced'
  /** The schema names a term that its vocabulary has no longer, or does not have. */
  | 'term_obsolete'
  | 'term_unknown'
  /** The values of an enum cannot be checked without a vocabulary. */
  | 'vocabulary_missing';

/** An error with a code that programs can rely on, and a sentence that a person can act on. */
export class LinkmlError extends Error {
  readonly code: 'schema_invalid' | 'class_unknown' | 'body_malformed' | 'conversion_failed';
  /** All problems of the input, if the error is about an input; the message then is their summary. */
  readonly problems: readonly Problem[];
  /** The unenforced parts of a schema that is refused. */
  declare readonly warnings?: readonly SchemaWarning[];

  constructor(
    code: LinkmlError['code'],
    message: string,
    problems: readonly Problem[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'LinkmlError';
    this.code = code;
    this.problems = problems;
  }
}

declare const FIXED: unique symbol;
/** A string that is known when the program is compiled, so it has nothing of a document in it. */
export type FixedText = string & { readonly [FIXED]: true };

/** Takes literals alone: a string with a part of a document has the type `string`, or that of a template. */
export function fixedText<S extends string>(
  text: S & (Record<never, never> extends Record<S, 1> ? never : unknown),
): FixedText {
  return text as unknown as FixedText;
}

/** Where a document is wrong: numbers, and keys that its schema has. */
export type SourcePosition = { readonly line?: number | undefined; readonly column?: number | undefined };

/**
 * What is wrong with a document, made of a position and of words of this program. Who names a document, such as the administrator of a
 * service, may not be allowed to read it, so nothing of it is repeated.
 *
 * @param name how messages call the document: the setting, or the address that was set
 */
export function sourceMessage(name: string, words: FixedText, { line, column }: SourcePosition = {}): string {
  const where = [
    ...(name === '' ? [] : [name]),
    ...(line === undefined ? [] : [column === undefined ? `line ${line}` : `line ${line}, column ${column}`]),
  ];
  return [...where, `${words}.`].join(': ');
}

/** The error of a schema, or of a source of terms, with this message. */
export function sourceFault(name: string, words: FixedText, position?: SourcePosition): LinkmlError {
  return new LinkmlError('schema_invalid', sourceMessage(name, words, position));
}
