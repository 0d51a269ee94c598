/** Requests that write: the seeds, valid and invalid bodies in both formats, extraction, curation, deletes. */
import type { JsonValue } from '#linkml/json.ts';
import type { Choices } from './random.ts';
import { BROKEN_JSON, INVALID, INVALID_TURTLE, seeds, VALID, VALID_TURTLE } from './records.ts';
import { get, post, remove, type Step, search, step } from './step.ts';
import { BACKENDS, secretOf } from './world.ts';

const COLLECTIONS = Object.keys(BACKENDS);
const CURATOR = secretOf('CURATOR');
const WRITER = secretOf('WRITE_COLLECTION');
const LABEL = 'write_collection';

export function fill(): Step[] {
  const samples = seeds();
  return COLLECTIONS.flatMap((name) =>
    samples.map(({ className, body }, i) => {
      const area = i % 4 === 3 ? '' : 'curated/';
      const secret = area === '' ? WRITER : CURATOR;
      return post('seed', `/${name}/${area}record/${className}`, body, secret, 'seed');
    }),
  );
}

/** Valid and invalid bodies to the store and validate endpoints; what was stored is read back. */
export function stores(choices: Choices): Step[] {
  const steps: Step[] = [];
  [...VALID, ...INVALID].forEach((sample, i) => {
    const name = choices.pick(COLLECTIONS);
    const body = renamed(sample.body, i);
    const tag = choices.chance(0.25) ? `?add_submission_tag=${choices.pick(['true', 'no', '1', 'ON'])}` : '';
    steps.push(post('validate', `/${name}/validate/record/${sample.className}`, body, WRITER, sample.point));
    steps.push(post('store', `/${name}/record/${sample.className}${tag}`, body, WRITER, sample.point));
    const pid = pidOf(body);
    if (i < VALID.length && pid) steps.push(...readBack(name, pid, sample.point));
  });
  return steps;
}

export function turtleStores(choices: Choices): Step[] {
  const steps: Step[] = [];
  [...VALID_TURTLE, ...INVALID_TURTLE].forEach((sample, i) => {
    const name = choices.pick(COLLECTIONS);
    const headers: Record<string, string> = choices.chance(0.4) ? {} : { 'content-type': 'text/turtle' };
    const place = `record/${sample.className}?format=ttl`;
    const { body, point } = sample;
    steps.push(step('validate', 'POST', `/${name}/validate/${place}`, WRITER, point, { body, headers }));
    steps.push(step('store', 'POST', `/${name}/${place}`, WRITER, point, { body, headers }));
    if (i < VALID_TURTLE.length) steps.push(...readBack(name, `ex:t${i + 1}`, point));
  });
  return steps;
}

export function brokenBodies(): Step[] {
  const person = JSON.stringify({ pid: 'ex:broken', name: 'B' });
  const typed = (contentType: string, body: string, query = '') =>
    step('store', 'POST', `/stl/record/Person${query}`, WRITER, `${contentType} ${query}`, {
      body,
      headers: { 'content-type': contentType },
    });
  return [
    ...BROKEN_JSON.map((body) => typed('application/json', body)),
    typed('application/ld+json', person),
    typed('text/plain', person),
    typed('text/turtle', person),
    typed('application/json', person, '?format=ttl'),
    typed('application/json', person, '?format=xml'),
    typed('application/json', person, '?add_submission_tag=perhaps'),
    typed('application/json; charset=utf-8', person),
  ];
}

export function relations(): Step[] {
  const nested = {
    pid: 'ex:rel',
    name: 'R',
    relations: {
      'ex:rel-1': {
        pid: 'ex:rel-1',
        schema_type: 'lab:Project',
        name: 'R1',
        relations: { 'ex:rel-2': { pid: 'ex:rel-2', schema_type: 'schema:Person', name: 'R2' } },
      },
    },
  };
  const broken = { ...nested, relations: { 'ex:rel-3': { pid: 'ex:rel-3', schema_type: 'lab:Project' } } };
  return COLLECTIONS.flatMap((name) => [
    post('store', `/${name}/record/Project`, nested, WRITER, 'records within records'),
    post('store', `/${name}/record/Project`, broken, WRITER, 'an invalid record within'),
    get('read', `/${name}/record?pid=ex:rel-1`, WRITER, 'extracted record'),
    get('read', `/${name}/record?pid=ex:rel-2`, WRITER, 'extracted record'),
    get('read', `/${name}/record?pid=ex:rel-3`, WRITER, 'record of a refused submission'),
    get('page', `/${name}/records/p/?matching=R%25&size=10`, WRITER, 'all after extraction'),
  ]);
}

/** The same IRI as CURIE and as URI, and in another class. */
export function spellings(): Step[] {
  return ['sql', 'open'].flatMap((name) => [
    post('store', `/${name}/record/Person`, { pid: 'ex:same', name: 'S' }, WRITER, 'first spelling'),
    post(
      'store',
      `/${name}/record/Person`,
      { pid: 'https://example.org/ns/same', name: 'S2' },
      WRITER,
      'other spelling',
    ),
    get('read', `/${name}/record?pid=ex:same`, WRITER, 'after the other spelling'),
    post('store', `/${name}/record/Student`, { pid: 'ex:same', name: 'S3' }, WRITER, 'other class'),
    get('read', `/${name}/record?pid=ex:same`, WRITER, 'after the other class'),
  ]);
}

export function curation(choices: Choices): Step[] {
  const steps: Step[] = [];
  for (const sample of [...VALID.slice(0, 12), ...INVALID.slice(0, 12)]) {
    const name = choices.pick(COLLECTIONS);
    const area = choices.pick(['curated', `incoming/${LABEL}`]);
    const body = renamed(sample.body, 1000 + steps.length);
    steps.push(
      post(
        'curation',
        `/${name}/${area}/record/${sample.className}?author_id=someone`,
        body,
        CURATOR,
        sample.point,
      ),
    );
    const pid = pidOf(body);
    if (pid)
      steps.push(get('curation', `/${name}/${area}/record${search([['pid', pid]])}`, CURATOR, sample.point));
  }
  const relation = {
    pid: 'ex:low',
    relations: { 'ex:low-1': { pid: 'ex:low-1', schema_type: 'schema:Person' } },
  };
  return [
    ...steps,
    post('curation', '/stl/curated/record/Thing', relation, CURATOR, 'no extraction'),
    get('curation', '/stl/curated/record?pid=ex:low', CURATOR, 'no extraction'),
    get('curation', '/stl/curated/record?pid=ex:low-1', CURATOR, 'no extraction'),
    get('curation', '/stl/curated/record?pid=nope:x', CURATOR, 'unknown prefix'),
    get('curation', '/stl/curated/record?pid=', CURATOR, 'empty pid'),
    get('labels', '/sql/incoming/', CURATOR, 'labels'),
    get('labels', '/absent/incoming/', CURATOR, 'labels'),
  ];
}

export function deletes(): Step[] {
  return COLLECTIONS.flatMap((name) => [
    remove('delete', `/${name}/record?pid=ex:person-3`, WRITER, 'own record'),
    remove('delete', `/${name}/record?pid=ex:person-3`, WRITER, 'own record again'),
    remove('delete', `/${name}/record?pid=ex:person-0`, WRITER, 'record of the curated area'),
    remove('delete', `/${name}/record?pid=nope:x`, WRITER, 'unknown prefix'),
    remove('curation', `/${name}/curated/record?pid=ex:person-1`, CURATOR, 'curated record'),
    remove('curation', `/${name}/curated/record?pid=ex:person-1`, CURATOR, 'curated record again'),
    remove('curation', `/${name}/curated/record?pid=nope:x`, CURATOR, 'unknown prefix'),
    remove(
      'curation',
      `/${name}/incoming/${LABEL}/record?pid=https://example.org/ns/project-5`,
      CURATOR,
      'zone record',
    ),
    get('page', `/${name}/records/p/Person?size=100`, WRITER, 'after the deletes'),
  ]);
}

function readBack(name: string, pid: string, point: string): Step[] {
  return ['json', 'ttl'].map((format) =>
    get(
      'read',
      `/${name}/record${search([
        ['pid', pid],
        ['format', format],
      ])}`,
      WRITER,
      `${point}, read back`,
    ),
  );
}

/** A body with a pid of its own, so that the steps don't meet. */
function renamed(body: JsonValue, i: number): JsonValue {
  const pid = pidOf(body);
  if (pid === undefined || !/^ex:[a-z]$/.test(pid)) return body;
  return { ...(body as Record<string, JsonValue>), pid: `${pid}-${i}` };
}

function pidOf(body: JsonValue): string | undefined {
  const pid =
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as { pid?: unknown }).pid
      : undefined;
  return typeof pid === 'string' ? pid : undefined;
}
