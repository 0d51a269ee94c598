/** The state of reading one Turtle document: its position, and its problems. */

import { LinkmlError, type Problem } from '../../errors.ts';
import type { JsonValue } from '../../json.ts';
import { excerpt } from '../../position.ts';
import type { TurtleSchema } from '../turtle-schema.ts';
import type { Graph } from './graph.ts';

/** The way from the record to a value: names of slots, and places among their values. */
export type Path = readonly (string | number)[];

/** Why something in a document cannot become part of a record. Reading continues after it. */
export class Misfit extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/**
 * How deep objects may be inside one another, and how many values one record may have. A node that is used twice is
 * read twice, so that the limits of the graph alone would not bound the record.
 */
const READ_LIMITS = { depth: 64, values: 200_000, characters: 10 * 2 ** 20 } as const;
/** More problems than these would not help. */
const MAX_PROBLEMS = 20;

export class ReadRun {
  readonly graph: Graph;
  readonly schema: TurtleSchema;
  readonly #problems: Problem[] = [];
  /** The subjects that the walk is inside of: meeting one of them again is a cycle. */
  readonly #inside = new Set<string>();
  #values = 0;
  #characters = 0;

  constructor(graph: Graph, schema: TurtleSchema) {
    this.graph = graph;
    this.schema = schema;
  }

  /** Runs a step; a misfit in it becomes a problem at the path, and the step yields nothing. */
  attempt<T>(path: Path, step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      if (this.#problems.length < MAX_PROBLEMS) {
        this.#problems.push({ type: error.type, loc: [...path], msg: error.message });
      }
      return undefined;
    }
  }

  /** Runs a step inside of a subject. @throws Misfit for a cycle, and for what is nested too deeply */
  within<T>(subject: string, path: Path, step: () => T): T {
    if (this.#inside.has(subject)) {
      throw new Misfit('turtle_cycle', `${this.show(subject)} contains itself, through ${path.join('/')}.`);
    }
    if (this.#inside.size >= READ_LIMITS.depth) {
      throw new Misfit(
        'turtle_too_large',
        `The objects of the record are nested deeper than ${READ_LIMITS.depth} levels.`,
      );
    }
    this.#inside.add(subject);
    try {
      return step();
    } finally {
      this.#inside.delete(subject);
    }
  }

  /** Counts values. @throws LinkmlError `conversion_failed` at once if there are too many */
  count(values: number): void {
    this.#values += values;
    if (this.#values > READ_LIMITS.values)
      throw unreadable(`The record would have more than ${READ_LIMITS.values} values.`);
  }

  /** Counts the characters of strings. @throws LinkmlError `conversion_failed` at once if there are too many */
  countCharacters(value: JsonValue): void {
    if (typeof value === 'string') this.#characters += value.length;
    if (this.#characters > READ_LIMITS.characters)
      throw unreadable(
        `The record would be larger than ${READ_LIMITS.characters / 2 ** 20} MiB, because a node or a long prefix is used often.`,
      );
  }

  /** @throws LinkmlError `conversion_failed` with all problems, if there are any */
  finish(): void {
    const [first, ...others] = this.#problems;
    if (!first) return;
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    throw new LinkmlError(
      'conversion_failed',
      `The Turtle document does not match the schema: ${first.msg}${more}`,
      this.#problems,
    );
  }

  show(key: string): string {
    return shownKey(key, this.schema);
  }
}

/** An IRI or blank node as a person would like to read it. */
export function shownKey(key: string, schema: TurtleSchema): string {
  if (key.startsWith('_:')) return 'a blank node';
  const compact = schema.compact(key);
  return compact === key ? `<${excerpt(key)}>` : excerpt(compact);
}

/** The error of a document as a whole. */
export function unreadable(message: string): LinkmlError {
  return new LinkmlError('conversion_failed', message, [
    { type: 'turtle_unsuitable', loc: [], msg: message },
  ]);
}
