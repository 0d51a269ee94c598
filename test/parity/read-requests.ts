/** Requests that read: every mode at every kind of endpoint, chosen combinations of reads, routes and methods. */
import type { Choices } from './random.ts';
import { get, post, remove, type Step, search, step } from './step.ts';
import { ADMIN_TOKEN, BACKENDS, MODES, secretOf } from './world.ts';

const COLLECTIONS = Object.keys(BACKENDS);
const CLASSES = ['Thing', 'Person', 'Student', 'Project'] as const;
const CURATOR = secretOf('CURATOR');
const WRITER = secretOf('WRITE_COLLECTION');
const LABEL = 'write_collection';

export function serviceSteps(): Step[] {
  return [
    get('service', '/server', undefined, 'server information'),
    get('service', '/', undefined, 'redirect to the documentation'),
    get('service', '/docs', undefined, 'documentation page'),
    get('service', '/openapi.json', undefined, 'API description'),
  ];
}

/** Every mode, and every way of having no right token, at every kind of endpoint. */
export function modeMatrix(): Step[] {
  const secrets: [string, string | undefined][] = [
    ...MODES.map((mode): [string, string] => [mode, secretOf(mode)]),
    ['no token', undefined],
    ['an empty token', ''],
    ['an unknown token', 'nobody knows this'],
    ['a token of another collection', 'secret of a guest'],
    ['the admin token', ADMIN_TOKEN],
  ];
  const person = { pid: 'ex:matrix', name: 'M' };
  return secrets.flatMap(([who, secret]) => [
    get('read', '/stl/record?pid=ex:person-0', secret, who),
    get('list', '/stl/records/Person', secret, who),
    get('page', '/stl/records/p/?size=3', secret, who),
    post('validate', '/stl/validate/record/Person', person, secret, who),
    post('store', '/stl/record/Person', person, secret, who),
    remove('delete', '/stl/record?pid=ex:matrix', secret, who),
    get('curation', '/stl/curated/record?pid=ex:person-0', secret, who),
    post('curation', '/stl/curated/record/Person', person, secret, who),
    remove('curation', '/stl/curated/record?pid=ex:matrix', secret, who),
    get('curation', `/stl/incoming/${LABEL}/records/`, secret, who),
    get('labels', '/stl/incoming/', secret, who),
    get('admin', '/tokens', secret, who),
  ]);
}

const PIDS = [
  'ex:person-0',
  'ex:person-3',
  'https://example.org/ns/person-1',
  'ex:project-1',
  'https://example.org/ns/project-1',
  'ex:nobody',
  'nope:person-0',
  'person-0',
  '',
  'ex:ä',
  'ex:a.b/c_d',
] as const;

const PATTERNS = [
  '%Lovel%',
  '%lovel%',
  'Project _',
  'mud',
  '%',
  '',
  'ex:%',
  '%rocket%',
  '100',
  '_da%',
  '%1%',
  'MUD',
] as const;

export function reads(choices: Choices): Step[] {
  const steps: Step[] = [];
  for (let i = 0; i < 170; i++) {
    const area = choices.pick(['', '', '', 'curated/', `incoming/${LABEL}/`] as const);
    const name = choices.chance(0.06) ? 'absent' : choices.pick(COLLECTIONS);
    const secret =
      area === '' ? choices.pick([WRITER, WRITER, secretOf('READ_COLLECTION'), undefined]) : CURATOR;
    const kind = choices.pick(['read', 'list', 'page', 'page'] as const);
    const query: [string, string][] = [];
    if (kind === 'read') query.push(['pid', choices.pick(PIDS)]);
    else if (choices.chance(0.35)) query.push(['matching', choices.pick(PATTERNS)]);
    if (choices.chance(0.3)) query.push(['format', choices.pick(['json', 'ttl', 'ttl', 'xml'])]);
    if (kind === 'page') {
      if (choices.chance(0.6))
        query.push(['page', choices.pick(['1', '2', '3', '9', '0', '-1', 'x', '2.0', '1.5', ''])]);
      if (choices.chance(0.7))
        query.push(['size', choices.pick(['1', '3', '5', '100', '0', '101', 'x', '2.0'])]);
    }
    if (choices.chance(0.05)) query.push(['colour', 'blue']);
    const className = choices.chance(0.4) ? '' : choices.chance(0.08) ? 'Unicorn' : choices.pick(CLASSES);
    const place =
      kind === 'read' ? 'record' : kind === 'list' ? `records/${className}` : `records/p/${className}`;
    const group = area === '' ? kind : 'curation';
    steps.push(get(group, `/${name}/${area}${place}${search(query)}`, secret, `read ${i}`));
  }
  return [
    ...steps,
    get('read', '/stl/record', WRITER, 'pid missing'),
    get(
      'page',
      '/sql/records/p/Person?matching=%25Lovel%%25&size=100&page=1',
      WRITER,
      'invalid escape of the form editor',
    ),
    get(
      'page',
      '/sql/records/p/Person?format=ttl&matching=%25Lovel%25&size=100&page=1',
      WRITER,
      'search of the form editor',
    ),
    get('list', '/sql/records/Person?format=ttl', WRITER, 'list of the form editor'),
    get('read', '/sql/record?pid=ex:nobody&format=ttl', WRITER, 'missing record of the form editor'),
    get('list', '/narrow/records/Thing', WRITER, 'a class without store endpoint'),
    get('list', '/without/records/Project', WRITER, 'an ignored class'),
    get('list', '/orphan/records/', undefined, 'default token without entry'),
    get('list', '/open/records/', undefined, 'default token with a zone'),
  ];
}

export function routes(): Step[] {
  const paths = [
    '/stl/records',
    '/stl/records/p',
    '/stl/records/p/Person/',
    '/stl/records/Person/',
    '/stl/record/?pid=ex:person-0',
    '/stl/curated/records',
    '/stl/incoming',
    '/server/',
    '/stl',
    '/stl/',
    '/stl/nothing',
    '/nothing/at/all',
    '/stl/incoming/absent/records/',
    '/stl/curated/records/Unicorn',
  ];
  return [
    ...paths.map((place) => get('route', place, CURATOR, 'path')),
    ...['PUT', 'PATCH', 'DELETE'].map((method) => step('route', method, '/server', undefined, 'method')),
    step('route', 'PUT', '/stl/record?pid=ex:person-0', CURATOR, 'method'),
    step('route', 'POST', '/stl/records/Person', CURATOR, 'method'),
    step('route', 'GET', '/stl/record/Person', CURATOR, 'method'),
    step('route', 'DELETE', '/stl/records/Person', CURATOR, 'method'),
    post('route', '/stl/record/Unicorn', { pid: 'ex:p' }, WRITER, 'unknown class'),
    post('route', '/absent/record/Person', { pid: 'ex:p' }, WRITER, 'unknown collection'),
    post('route', '/narrow/record/Thing', { pid: 'ex:p' }, WRITER, 'class that is not used'),
    post('route', '/without/record/Project', { pid: 'ex:p', name: 'P' }, WRITER, 'class that is ignored'),
    post('route', '/stl/incoming/absent/record/Person', { pid: 'ex:p' }, CURATOR, 'unknown label'),
  ];
}
