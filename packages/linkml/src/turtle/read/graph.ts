/**
 * Turtle text → graph: what the document says, before any schema looks at it.
 *
 * n3 does the parsing; this file adds limits, positions in errors, and a shape that is quick to walk by subject.
 */
import { type BlankNode, DataFactory, type Literal, type NamedNode, Parser, type Term as RdfTerm } from 'n3';
import { LinkmlError } from '../../errors.ts';
import { excerpt, positionAt } from '../../position.ts';
import { XSD_STRING } from '../namespaces.ts';

/** A term as an object of a triple. `key` is equal for equal terms. */
export type Term =
  | { readonly kind: 'iri'; readonly key: string; readonly iri: string }
  | { readonly kind: 'blank'; readonly key: string }
  | {
      readonly kind: 'literal';
      readonly key: string;
      readonly text: string;
      readonly datatype: string;
      readonly language: string;
    };

/** The triples of one subject: predicate IRI → objects, in the order of the document, without duplicates. */
export type Description = ReadonlyMap<string, readonly Term[]>;

export type Graph = {
  /** Key of the subject (its IRI, or `_:` and a label) → what is said about it. */
  readonly subjects: ReadonlyMap<string, Description>;
  /** The base that the document sets before its first statement. */
  readonly base: string | undefined;
};

/**
 * How much one document may hold. A record is some hundred triples; what is beyond these limits is refused before it
 * takes memory that grows with the square, or the patience, of anyone.
 */
export const GRAPH_LIMITS = {
  triples: 200_000,
  blankNodes: 100_000,
  /** Characters of one IRI, written out. */
  iri: 65_536,
  /** Characters of all IRIs, written out: a long prefix that is used often makes a small document a large one. */
  iris: 50_000_000,
  /** For a short document, which is read in the main thread: this many characters of IRIs, or the multiple of its length below. */
  irisOfShort: 1_000_000,
  irisByLength: 20,
  /** Characters of all relative IRIs of `@base`: each is resolved with those before it, so the base grows with every one. */
  relativeBases: 65_536,
} as const;

const ABSOLUTE_IRI = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * Parses a document.
 *
 * @throws LinkmlError `body_malformed`: not Turtle (with line and column), a relative IRI without a base, or a
 *   document beyond the {@link GRAPH_LIMITS}
 */
export function parseGraph(body: string, format: 'Turtle' | 'N-Quads' = 'Turtle'): Graph {
  const text = body.startsWith('\ufeff') ? body.slice(1) : body;
  if (format === 'Turtle') refuseLongBases(text);
  const builder = new GraphBuilder(text.length);
  const parser = new Parser({ format, factory: builder.factory as unknown as typeof DataFactory });
  try {
    parser.parse(text);
  } catch (error) {
    throw syntaxError(error, text, format);
  }
  const base = format === 'Turtle' ? baseDirective(text) : builder.graphName;
  return { subjects: builder.subjects, base };
}

/** The parser asks for no term for them. What only looks like a directive, in a string, is counted, too. */
function refuseLongBases(text: string): void {
  let characters = 0;
  for (const [, iri = ''] of text.matchAll(/\bbase\s*<([^<>\s]*)>/gi))
    if (!ABSOLUTE_IRI.test(iri)) characters += iri.length;
  if (characters > GRAPH_LIMITS.relativeBases)
    throw malformedTurtle(
      `The relative IRIs of @base have ${characters} characters together, expected at most ${GRAPH_LIMITS.relativeBases}.`,
    );
}

const PREFIX_DIRECTIVE = /@?prefix\s[^<]*<[^>]*>\s*\.?/iy;
const BASE_DIRECTIVE = /@?base\s*<([^>]*)>/iy;

/** The base among the directives at the head of a document that has been parsed. */
function baseDirective(text: string): string | undefined {
  for (let at = skipBlanks(text, 0); ; at = skipBlanks(text, PREFIX_DIRECTIVE.lastIndex)) {
    BASE_DIRECTIVE.lastIndex = at;
    const base = BASE_DIRECTIVE.exec(text);
    if (base) return base[1];
    PREFIX_DIRECTIVE.lastIndex = at;
    if (!PREFIX_DIRECTIVE.test(text)) return undefined;
  }
}

/** Makes the terms of a {@link GraphBuilder}. */
type TermFactory = Pick<typeof DataFactory, 'literal'> & {
  namedNode(iri: string): NamedNode;
  blankNode(label?: string): BlankNode;
  quad(subject: RdfTerm, predicate: RdfTerm, object: RdfTerm, graph?: RdfTerm): void;
};

/** Collects the triples of a parse as n3 makes them, so that no list of quads is ever kept. The names of graphs are not compared. */
export class GraphBuilder {
  /** The name of the first graph. */
  graphName: string | undefined;
  readonly subjects = new Map<string, Map<string, Term[]>>();
  /** The objects of long lists, so that finding a duplicate does not take a walk through the list. */
  readonly #seen = new Map<Term[], Set<string>>();
  #triples = 0;
  #blankNodes = 0;
  #characters = 0;
  readonly #mostCharacters: number;

  constructor(length: number) {
    const { iris, irisOfShort, irisByLength } = GRAPH_LIMITS;
    this.#mostCharacters = Math.min(iris, irisOfShort + irisByLength * length);
  }

  /** The data factory for n3: its own terms, but triples go into the graph and are counted. */
  readonly factory: TermFactory = {
    ...DataFactory,
    quad: (subject: RdfTerm, predicate: RdfTerm, object: RdfTerm, graph?: RdfTerm) => {
      this.#add(subject, predicate, object);
      if (graph?.termType === 'NamedNode') this.graphName ??= graph.value;
    },
    namedNode: (iri: string) => {
      this.#characters += iri.length;
      if (iri.length > GRAPH_LIMITS.iri)
        throw malformedTurtle(
          `An IRI of the document has ${iri.length} characters, expected at most ${GRAPH_LIMITS.iri}.`,
        );
      if (this.#characters > this.#mostCharacters)
        throw malformedTurtle(
          `The IRIs of the document have more than ${this.#mostCharacters} characters with expanded prefixes.`,
        );
      return DataFactory.namedNode(iri);
    },
    blankNode: (label?: string) => {
      if (label === undefined && ++this.#blankNodes > GRAPH_LIMITS.blankNodes) {
        throw malformedTurtle(`The document has more than ${GRAPH_LIMITS.blankNodes} blank nodes.`);
      }
      return DataFactory.blankNode(label);
    },
  };

  #add(subject: RdfTerm | undefined, predicate: RdfTerm | undefined, object: RdfTerm | undefined): void {
    if (++this.#triples > GRAPH_LIMITS.triples)
      throw malformedTurtle(`The document has more than ${GRAPH_LIMITS.triples} triples.`);
    // Triple terms come through here too, and leave nothing behind that could be a subject or object.
    if (!subject || !predicate || !object)
      throw malformedTurtle('The document uses triple terms, which Turtle 1.1 does not have.');
    const subjectKey = subject.termType === 'BlankNode' ? `_:${subject.value}` : absolute(subject.value);
    const description = this.subjects.get(subjectKey) ?? new Map<string, Term[]>();
    if (description.size === 0) this.subjects.set(subjectKey, description);
    const predicateIri = absolute(predicate.value);
    const objects = description.get(predicateIri);
    const term = termOf(object);
    if (!objects) description.set(predicateIri, [term]);
    else if (!this.#has(objects, term.key)) objects.push(term);
  }

  #has(objects: Term[], key: string): boolean {
    if (objects.length < 16) return objects.some((other) => other.key === key);
    const seen = this.#seen.get(objects) ?? new Set(objects.map((other) => other.key));
    if (seen.has(key)) return true;
    this.#seen.set(objects, seen.add(key));
    return false;
  }
}

function termOf(term: RdfTerm): Term {
  if (term.termType === 'BlankNode') return { kind: 'blank', key: `_:${term.value}` };
  if (term.termType === 'NamedNode') {
    const iri = absolute((term as NamedNode).value);
    return { kind: 'iri', key: iri, iri };
  }
  const { value, language, datatype } = term as Literal;
  if ((term as { readonly direction?: string }).direction)
    throw malformedTurtle(
      `The document has "${excerpt(value)}" with the direction of a language, which Turtle 1.1 does not have. Write @${language} alone.`,
    );
  return {
    kind: 'literal',
    // There may be many strings, and with their datatype the keys would take several times the document.
    key: datatype.value === XSD_STRING ? `"${value}` : `^${language}^${datatype.value}^${value}`,
    text: value,
    datatype: absolute(datatype.value),
    language,
  };
}

function absolute(iri: string): string {
  if (ABSOLUTE_IRI.test(iri)) return iri;
  throw malformedTurtle(
    `The IRI <${excerpt(iri)}> is relative, and the document has no @base to resolve it.`,
  );
}

function malformedTurtle(message: string): LinkmlError {
  return new LinkmlError('body_malformed', message, [{ type: 'turtle_invalid', loc: [], msg: message }]);
}

/** The details of a syntax error from n3: the offending token, or, if the input is not a token, the one before it. */
type ParseContext = {
  readonly line: number;
  readonly token?: Token;
  readonly previousToken?: Token;
};

/** Lines count from 1; `start` and `end` count from the start of their line. */
type Token = {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** The line of the end, for a literal of several lines. */
  readonly endLine?: number;
};

/** The error of a body that does not have the format: line, column, and n3's own message, without the "on line N" at its end. */
function syntaxError(error: unknown, text: string, format: string): unknown {
  if (error instanceof LinkmlError || !(error instanceof Error)) return error;
  const { context } = error as Error & { context?: ParseContext };
  // n3 does not stop at an IRI that it refuses, and fails over the missing term: without position.
  if (!context)
    return malformedTurtle(
      `The body is not ${format}: an IRI is not valid. Schemes of IRIs have only letters, digits, "+", "-" and ".".`,
    );
  const { token, previousToken } = context;
  const offset = token
    ? offsetAt(text, token.line, token.start)
    : skipBlanks(
        text,
        previousToken ? offsetAt(text, previousToken.endLine ?? previousToken.line, previousToken.end) : 0,
      );
  const { line, column } = positionAt(text, offset);
  const reason = excerpt(error.message.replace(/ on line \d+\.?$/, ''));
  return malformedTurtle(`The body is not ${format}: line ${line}, column ${column}: ${reason}.`);
}

/** The offset of a place on a line. n3 ends a line at any of CR LF, CR and LF. */
function offsetAt(text: string, line: number, column: number): number {
  const lineEnd = /\r\n|\r|\n/g;
  for (let i = 1; i < line && lineEnd.test(text); i++);
  return lineEnd.lastIndex + column;
}

/** The start of the next token. One pattern for all blanks and comments at once would overflow on a million of them. */
function skipBlanks(text: string, start: number): number {
  const blanksOrComment = /[ \t\r\n]+|#[^\r\n]*/y;
  blanksOrComment.lastIndex = start;
  let offset = start;
  while (blanksOrComment.test(text)) offset = blanksOrComment.lastIndex;
  return offset;
}
