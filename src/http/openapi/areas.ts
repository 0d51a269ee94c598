/** The three areas that the routes of records are mounted on, and how their operations differ. */
import { type Json, json, jsonOrTurtle, NULL, problems, ref } from './words.ts';

/** An area as the routes of records are mounted on it. */
export type DescribedArea = {
  readonly path: string;
  readonly id: string;
  /** Read as "Read one record {title}". */
  readonly title: string;
  /** What the tag of the area says. */
  readonly about: string;
  /** Where a store puts a record: "Store an object {storedIn}". */
  readonly storedIn: string;
  readonly parameters: readonly string[];
  readonly storeParameters: readonly string[];
  readonly security: readonly Json[];
  /** The responses of a store. */
  readonly stored: Json;
  /** Whether a list of a class holds the records of its subclasses, too. */
  readonly subclasses: boolean;
};

const STORE_PROBLEMS = problems(400, 401, 403, 404, 412, 413, 422, 500, 503);
export const TOKEN = [{ token: [] }];
const ANYBODY = [{ token: [] }, {}];

export const AREAS: readonly DescribedArea[] = [
  {
    path: '',
    id: 'own',
    title: 'of the collection',
    storedIn: 'in the zone of the token',
    about: 'What a token may read, and submit to its own incoming zone.',
    parameters: [],
    storeParameters: ['format', 'add_submission_tag'],
    security: ANYBODY,
    stored: {
      200: jsonOrTurtle('All records that were stored, the posted one first.', ref('Records')),
      ...STORE_PROBLEMS,
    },
    subclasses: true,
  },
  {
    path: '/curated',
    id: 'curated',
    title: 'of the curated area',
    storedIn: 'in the curated area',
    about: 'The curated area, for curators.',
    parameters: [],
    storeParameters: ['format', 'author_id'],
    security: TOKEN,
    stored: {
      200: json('The record is stored.', NULL),
      ...STORE_PROBLEMS,
    },
    subclasses: false,
  },
  {
    path: '/incoming/{label}',
    id: 'incoming',
    title: 'of an incoming zone',
    storedIn: 'in an incoming zone',
    about: 'The incoming zones, for curators.',
    parameters: ['label'],
    storeParameters: ['format'],
    security: TOKEN,
    stored: {
      200: json('The record is stored.', NULL),
      ...STORE_PROBLEMS,
    },
    subclasses: false,
  },
];
