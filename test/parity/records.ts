/** Records for the differential test: bodies by class that are valid, and bodies that are not, each with its point. */
import type { JsonValue } from '#linkml/json.ts';

export type Sample = { readonly className: string; readonly body: JsonValue; readonly point: string };

/** What every area is filled with at the start. */
export function seeds(): Sample[] {
  const people = Array.from({ length: 14 }, (_, i) => ({
    className: i % 3 === 0 ? 'Student' : 'Person',
    body: {
      pid: `ex:person-${i}`,
      name: `${NAMES[i % NAMES.length]} ${i}`,
      ...(i % 2 ? { born: `19${70 + i}-01-0${1 + (i % 9)}` } : {}),
    },
    point: 'seed',
  }));
  const projects = Array.from({ length: 8 }, (_, i) => ({
    className: 'Project',
    body: {
      pid: i % 2 ? `https://example.org/ns/project-${i}` : `ex:project-${i}`,
      name: `Project ${i}`,
      members: [`ex:person-${i}`],
      tags: ['mud', 'water'].slice(0, i % 3),
    },
    point: 'seed',
  }));
  const things = ['ex:Aa', 'ex:aA', 'ex:a.b/c_d'].map((pid) => ({
    className: 'Thing',
    body: { pid, note: `about ${pid}` },
    point: 'seed',
  }));
  return [...people, ...projects, ...things];
}

const NAMES = ['Ada Lovelace', 'Blaise', 'Čapek', 'Daði', '笛卡尔', 'emma noether', '🚀 Rocket'];

const PERSON = { pid: 'ex:p', name: 'P' };
const PROJECT = { pid: 'ex:j', name: 'J' };

export const VALID: readonly Sample[] = [
  valid('Person', PERSON, 'plain'),
  valid('Person', { pid: 'ex:p' }, 'only what is required'),
  valid('Person', { pid: 'https://example.org/elsewhere/p', name: 'P' }, 'pid as an IRI'),
  valid('Person', { ...PERSON, schema_type: 'schema:Person' }, 'its own type'),
  valid('Person', { ...PERSON, active: 'yes' }, 'boolean as text'),
  valid('Person', { ...PERSON, active: 1 }, 'boolean as a number'),
  valid('Person', { ...PERSON, name: null }, 'null value'),
  valid('Person', { ...PERSON, homepage: 'https://example.org/~p' }, 'uri'),
  valid('Person', { ...PERSON, born: '2001-02-28' }, 'date'),
  valid('Person', { ...PERSON, name: '' }, 'empty text'),
  valid('Person', { ...PERSON, name: 'no' }, 'text that YAML could misread'),
  valid('Person', { ...PERSON, name: 'two\nlines\tand "quotes" \\' }, 'text with controls'),
  valid('Person', { ...PERSON, name: '🚀 ü 笛 \ufffd' }, 'text beyond ASCII'),
  valid('Person', { ...PERSON, name: 'bell \u0007 and nul \u0000' }, 'control characters'),
  valid('Person', { ...PERSON, annotations: { 'ex:tag': 'v' } }, 'short annotation'),
  valid(
    'Person',
    { ...PERSON, annotations: { 'ex:tag': { annotation_tag: 'ex:tag', annotation_value: 'v' } } },
    'long annotation',
  ),
  valid('Student', { ...PERSON, count: 3 }, 'subclass'),
  valid('Student', { ...PERSON, count: '12' }, 'integer as text'),
  valid('Student', { ...PERSON, count: 3.0 }, 'integral float'),
  valid('Project', { ...PROJECT, score: 1 }, 'integer for float'),
  valid('Project', { ...PROJECT, score: 1.25 }, 'float'),
  valid('Project', { ...PROJECT, tags: [] }, 'empty list'),
  valid('Project', { ...PROJECT, tags: ['b', 'a', 'b'] }, 'list with duplicates'),
  valid('Project', { ...PROJECT, state: 'running' }, 'enum value with a meaning'),
  valid('Project', { ...PROJECT, state: 'done' }, 'enum value without a meaning'),
  valid(
    'Project',
    { ...PROJECT, leader: 'ex:person-1', members: ['ex:person-2', 'ex:person-1'] },
    'references',
  ),
  valid('Project', { ...PROJECT, place: { street: 'Main', city: 'Town' } }, 'inlined object'),
  valid(
    'Project',
    { ...PROJECT, relations: { 'ex:r': { pid: 'ex:r', schema_type: 'schema:Person', name: 'R' } } },
    'inlined record',
  ),
  valid('Thing', { pid: 'ex:t', note: 'n' }, 'Thing'),
  valid('Thing', { pid: 'ex:t', annotations: { 'dlthings:placeholder': 'ex:t' } }, 'placeholder'),
];

export const INVALID: readonly Sample[] = [
  invalid('Person', { name: 'P' }, 'pid missing'),
  invalid('Person', { pid: null }, 'pid null'),
  invalid('Person', { pid: 5 }, 'pid a number'),
  invalid('Person', { pid: 'nope:p' }, 'pid with an unknown prefix'),
  invalid('Person', { pid: 'p' }, 'pid without colon'),
  invalid('Person', { pid: '' }, 'pid empty'),
  invalid('Person', { pid: 'ex:ä' }, 'pid beyond ASCII'),
  invalid('Person', { pid: 'ex:a b' }, 'pid with a blank'),
  invalid('Person', { ...PERSON, nme: 'P' }, 'unknown key'),
  invalid('Person', { ...PERSON, name: 5 }, 'number for text'),
  invalid('Person', { ...PERSON, name: ['P'] }, 'list for a single value'),
  invalid('Person', { ...PERSON, name: { a: 1 } }, 'object for text'),
  invalid('Person', { ...PERSON, active: 'perhaps' }, 'no boolean'),
  invalid('Person', { ...PERSON, born: '2001-02-30' }, 'no date'),
  invalid('Person', { ...PERSON, born: 'yesterday' }, 'text for date'),
  invalid('Person', { ...PERSON, homepage: 'two words' }, 'no uri'),
  invalid('Person', { ...PERSON, schema_type: 'lab:Project' }, 'type of another class'),
  invalid('Person', { ...PERSON, schema_type: 'schema:Nothing' }, 'type of no class'),
  invalid('Person', { ...PERSON, annotations: [] }, 'list for a mapping'),
  invalid(
    'Person',
    { ...PERSON, annotations: { 'ex:a': { annotation_tag: 'ex:b', annotation_value: 'v' } } },
    'key differs',
  ),
  invalid('Student', { ...PERSON, count: 'many' }, 'text for integer'),
  invalid('Student', { ...PERSON, count: 1.5 }, 'fraction for integer'),
  invalid('Project', { pid: 'ex:j' }, 'required slot missing'),
  invalid('Project', { ...PROJECT, tags: 'one' }, 'text for a list'),
  invalid('Project', { ...PROJECT, tags: ['a', 5] }, 'number in a list of texts'),
  invalid('Project', { ...PROJECT, state: 'paused' }, 'no enum value'),
  invalid('Project', { ...PROJECT, leader: 'nope:x' }, 'reference with an unknown prefix'),
  invalid('Project', { ...PROJECT, leader: { pid: 'ex:a' } }, 'object for a reference'),
  invalid('Project', { ...PROJECT, place: 'Main 1' }, 'text for an object'),
  invalid('Project', { ...PROJECT, place: { city: 'Town' } }, 'required slot of an object missing'),
  invalid('Project', { ...PROJECT, place: { street: 'Main', zip: '1' } }, 'unknown key in an object'),
  invalid('Project', { ...PROJECT, score: 'high' }, 'text for float'),
  invalid('Project', { ...PROJECT, score: [] }, 'list for float'),
  invalid('Person', [], 'a list'),
  invalid('Person', 5, 'a number'),
  invalid('Person', null, 'null'),
  invalid('Person', [PERSON], 'a list of one'),
];

/** Bodies that are no JSON, or no record for other reasons than the schema's. */
export const BROKEN_JSON: readonly string[] = [
  '',
  '{',
  '{"pid": "ex:p",}',
  '"ex:p"',
  'pid: ex:p',
  '{"pid": "ex:p"} x',
  '\ufeff{}',
  '[[[[',
];

const HEAD =
  '@prefix ex: <https://example.org/ns/> . @prefix s: <http://schema.org/> .\n@prefix lab: <https://example.org/schemas/parity/> .\n';

/** Turtle documents for class Person, or Project where they say so. */
export const VALID_TURTLE: readonly (Sample & { body: string })[] = [
  turtle('Person', 'ex:t1 a s:Person ; s:name "T" .', 'plain'),
  turtle('Person', '<https://example.org/ns/t2> a <http://schema.org/Person> .', 'IRIs in full'),
  turtle('Person', 'ex:t3 a s:Person, <https://example.org/elsewhere> ; s:name "T" .', 'a second type'),
  turtle(
    'Person',
    'ex:t4 a s:Person ; lab:active true ; lab:born "2001-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .',
    'typed literals',
  ),
  turtle('Person', 'ex:t5 a s:Person ; s:name "T" . ex:other s:name "O" .', 'another subject'),
  turtle(
    'Project',
    'ex:t6 a lab:Project ; s:name "T" ; lab:place [ a lab:Place ; lab:street "Main" ] .',
    'blank node',
  ),
  turtle(
    'Project',
    'ex:t7 a lab:Project ; s:name "T" ; lab:tags "a", "b" ; lab:members ex:person-1 .',
    'several values',
  ),
  turtle('Person', 'ex:t8 a s:Person ; s:name "\\U0001f680" .', 'escaped emoji'),
  turtle(
    'Project',
    'ex:t9 a lab:Project ; s:name "T" ; lab:place _:b10_c14n0 . _:b10_c14n0 a lab:Place ; lab:street "Main" .',
    'labelled blank node',
  ),
];

export const INVALID_TURTLE: readonly (Sample & { body: string })[] = [
  turtle('Person', 'ex:u1 a lab:Project ; s:name "T" .', 'root of another class'),
  turtle('Person', 'ex:u2 a lab:Student .', 'root of a subclass'),
  turtle('Person', 'ex:u3 s:name "T" .', 'no root'),
  turtle('Person', 'ex:u4 a s:Person . ex:u5 a s:Person .', 'two roots'),
  turtle('Person', 'ex:u6 a s:Person ; s:email "x" .', 'unknown predicate'),
  turtle('Person', 'ex:u7 a s:Person ; s:name "T" ', 'syntax: no full stop'),
  turtle('Person', 'ex:u8 a s:Person ; nope:x "T" .', 'prefix that is not declared'),
  turtle('Person', 'this is no Turtle\nat all', 'no Turtle'),
  turtle('Project', 'ex:u9 a lab:Project .', 'required slot missing'),
  turtle('Project', 'ex:u10 a lab:Project ; s:name "T" ; lab:state "paused" .', 'no enum value'),
];

function valid(className: string, body: JsonValue, point: string): Sample {
  return { className, body, point };
}

function invalid(className: string, body: JsonValue, point: string): Sample {
  return { className, body, point };
}

function turtle(className: string, triples: string, point: string): Sample & { body: string } {
  return { className, body: `${HEAD}${triples}\n`, point };
}
