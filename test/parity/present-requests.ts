/**
 * Requests about what release 6.6.4 has and 6.3.3 has not: names with slashes, inboxes on demand, the keys of policies, reloads. They
 * come after those of `requests.ts`.
 */
import type { JsonValue } from '#linkml/json.ts';
import { get, json, post, remove, type Step, step } from './step.ts';
import { ADMIN_TOKEN, type CollectionConfig, collection, laboratory, secretOf, token } from './world.ts';

const CURATOR = secretOf('CURATOR');
const WRITER = secretOf('WRITE_COLLECTION');

/** Names that administration accepts, and those of files that hide others. */
const NAMES = [
  ...['c', 'a/b', 'a/b/c', 'x y', 'ü', 'd.o.t', 'c/record', 'c/records', 'x', 'x/records/p'],
  ...['tokens/foo', 'server/x', 'docs/x', 'api/x', 'v1/x', 'q\'u"o', '100%'],
];
/** Names that no collection has. */
const MISSING = ['a', 'zz/yy'];

/** The configuration of the laboratory with collections of all names. Nothing on disk is named after them. */
export function presentLaboratory(): Record<string, unknown> {
  const { collections, tokens, ...rest } = laboratory() as {
    collections: Record<string, CollectionConfig>;
    tokens: Record<string, { collections: Record<string, object> }>;
  };
  for (const [at, name] of NAMES.entries())
    collections[name] = { ...collection(`names/${at}`, { backend: { type: 'sqlite' } }) };
  const { incoming: _, ...apart } = collection('apart', {});
  collections.apart = apart;
  for (const [label, one] of Object.entries(tokens)) {
    const mode = label === 'anyone' ? 'READ_CURATED' : label.toUpperCase();
    if (label === 'visitor' || label === 'guest') continue;
    const entries = NAMES.map((name) => [name, { mode, incoming_label: label }]);
    Object.assign(one.collections, Object.fromEntries(entries));
  }
  tokens.keeper = token('keeper', 'CURATOR', ['apart'], 'secret of the keeper');
  return { ...rest, collections, tokens };
}

export function presentSteps(): Step[] {
  return [...names(), ...inboxes(), ...reloads(), ...configuration()];
}

/** A name as it is in paths: with plain slashes, and with escaped ones. */
function spellings(name: string): string[] {
  const escaped = encodeURIComponent(name);
  return [...new Set([escaped.replaceAll('%2F', '/'), escaped])];
}

function* names(): Generator<Step> {
  const group = 'names';
  for (const [at, name] of [...NAMES, ...MISSING].entries()) {
    const pid = `ex:named-${at}`;
    const record = { pid, name };
    for (const spelling of spellings(name)) {
      const path = `/${spelling}`;
      for (const area of ['', '/curated', '/incoming/write_collection']) {
        const [secret, point] = [area === '' ? WRITER : CURATOR, `${name}${area}`];
        yield post(group, `${path}${area}/record/Person`, record, secret, point);
        yield post(group, `${path}${area}/record/Nothing`, record, secret, `${point}, unknown class`);
        yield get(group, `${path}${area}/record?pid=${pid}`, secret, point);
        yield get(group, `${path}${area}/record?pid=ex:none`, secret, point);
        for (const list of [
          'records/',
          'records/Person',
          'records/p/',
          'records/p/Person',
          'records/Nothing',
        ])
          yield get(group, `${path}${area}/${list}`, secret, point);
        yield get(group, `${path}${area}/records`, secret, `${point}, without a slash`);
        yield get(group, `${path}${area}/records/p`, secret, `${point}, without a slash`);
        yield step(group, 'PUT', `${path}${area}/records/`, secret, `${point}, another method`);
        yield remove(group, `${path}${area}/record?pid=ex:none`, secret, point);
        yield remove(group, `${path}${area}/record?pid=${pid}`, secret, point);
      }
      yield post(group, `${path}/validate/record/Person`, record, WRITER, name);
      yield get(group, `${path}/incoming/`, CURATOR, name);
      yield get(group, `${path}/incoming`, CURATOR, `${name}, without a slash`);
      yield get(group, `${path}/incoming/`, WRITER, `${name}, no curator`);
      yield get(group, `${path}/records/`, undefined, `${name}, without a token`);
      yield get(group, `${path}/records/`, 'nobody knows this', `${name}, unknown token`);
      yield get(group, `${path}/incoming/a%2Fb/records/`, CURATOR, `${name}, a label with a slash`);
      yield get(group, `${path}/records/p%2FPerson`, WRITER, `${name}, an escaped slash`);
      yield get(group, `${path}%2Frecords%2F`, WRITER, `${name}, escaped slashes`);
      yield get(group, path, WRITER, `${name}, no endpoint`);
      for (const secret of [ADMIN_TOKEN, undefined])
        yield get(group, `/collections/${spelling}`, secret, `${name}, configuration`);
      yield get(group, `/collections/${spelling}/`, ADMIN_TOKEN, `${name}, configuration, a slash`);
    }
  }
  yield get(group, '/collections/', ADMIN_TOKEN, 'no name');
  yield get(group, '//records/', WRITER, 'no name');
  yield get(group, '/%2Fserver', undefined, 'no name');
  yield get(group, '/server%2F', undefined, 'an escaped slash');
  yield get(group, '/a%2Fb%2Fincoming%2Fwrite_collection%2Frecords%2F', CURATOR, 'everything escaped');
}

function* inboxes(): Generator<Step> {
  const group = 'inboxes';
  const record = { pid: 'ex:inbox' };
  for (const name of ['sql', 'stl', 'dir', 'a/b']) {
    const path = `/${name}/incoming`;
    const labels = () => get(group, `${path}/`, CURATOR, `${name}, labels`);
    for (const label of ['new', 'in box', 'ü', 'a.b', 'a@b', 'ä/b']) {
      const zone = `${path}/${encodeURIComponent(label)}`;
      const point = `${name}, ${label}`;
      yield post(group, `${zone}/record/Person`, record, WRITER, `${point}, no curator`);
      yield post(group, `${zone}/record/Person`, record, undefined, `${point}, no token`);
      yield post(group, `${zone}/record/Person`, record, 'nobody knows this', `${point}, unknown token`);
      yield post(group, `${zone}/record/Person`, { pid: 5 }, CURATOR, `${point}, invalid`);
      yield labels();
      yield get(group, `${zone}/record?pid=ex:inbox`, CURATOR, `${point}, before`);
      yield get(group, `${zone}/records/`, CURATOR, `${point}, before`);
      yield get(group, `${zone}/records/Person`, CURATOR, `${point}, before`);
      yield get(group, `${zone}/records/p/`, CURATOR, `${point}, before`);
      yield remove(group, `${zone}/record?pid=ex:inbox`, CURATOR, `${point}, before`);
      yield post(group, `${zone}/record/Person`, record, CURATOR, point);
      yield labels();
      yield get(group, `${zone}/record?pid=ex:inbox`, CURATOR, point);
      yield get(group, `${zone}/records/`, CURATOR, point);
      yield remove(group, `${zone}/record?pid=ex:inbox`, CURATOR, point);
      yield get(group, `${zone}/records/`, CURATOR, `${point}, emptied`);
      yield labels();
    }
    const owner = { name: `owner of ${name}`, ...token('new', 'WRITE_COLLECTION', [name], `owner ${name}`) };
    yield post(group, `${path}/new/record/Person`, record, CURATOR, `${name}, for a token that comes later`);
    yield post(group, '/tokens', owner as JsonValue, ADMIN_TOKEN, `${name}, a token with the label`);
    yield get(group, `/${name}/record?pid=ex:inbox`, `owner ${name}`, `${name}, of the token`);
  }
  for (const label of ['z', 'keeper']) {
    yield get(group, `/apart/incoming/${label}/records/`, 'secret of the keeper', 'no incoming');
    yield post(
      group,
      `/apart/incoming/${label}/record/Person`,
      record,
      'secret of the keeper',
      'no incoming',
    );
  }
  yield get(group, '/apart/incoming/', 'secret of the keeper', 'no incoming');
  yield get(group, '/absent/incoming/new/records/', CURATOR, 'unknown collection');
}

function* reloads(): Generator<Step> {
  for (const name of ['sql', 'a/b', 'a%2Fb', 'nobody', 'absent', 'x%20y'])
    for (const secret of [CURATOR, WRITER, ADMIN_TOKEN, 'nobody knows this', undefined])
      yield get('reloads', `/management/reload/policy_info/${name}`, secret, `${name}, no location`);
  for (const method of ['POST', 'PUT', 'DELETE'])
    yield step('reloads', method, '/management/reload/policy_info/sql', CURATOR, 'another method');
  yield get('reloads', '/management/reload/policy_info/', CURATOR, 'no name');
}

/** The keys of policies, and names that administration accepts or refuses. */
function* configuration(): Generator<Step> {
  const group = 'configuration';
  const admin = (method: string, path: string, point: string, body?: object) =>
    step(group, method, path, ADMIN_TOKEN, point, body ? json(body as JsonValue) : {});
  const named = (name: string, more: object = {}) => ({ name, ...collection(`made/${name}`, {}), ...more });
  const mapping = { auth_source: 'config', user_id: 'a', authorized_by: ['x'] };
  const policies: object[] = [
    { policy_mapping: [] },
    { policy_annotation_tag: null, default_policy: null, policy_info_location: null },
    { policy_annotation_tag: 'ex:policy' },
    { default_policy: 'x', policy_annotation_tag: 'ex:policy', policy_mapping: [mapping] },
    { policy_annotation_tag: '', default_policy: '' },
    { policy_annotation_tag: 7 },
    { policy_annotation_tag: ['ex:policy'] },
    { default_policy: ['a'] },
    { default_policy: true },
    { policy_mapping: {} },
    { policy_mapping: 'x' },
    { policy_mapping: [1] },
    ...Object.keys(mapping).map((key) => ({ policy_mapping: [{ ...mapping, [key]: undefined }] })),
    ...Object.keys(mapping).map((key) => ({ policy_mapping: [{ ...mapping, [key]: 1 }] })),
    ...Object.keys(mapping).map((key) => ({ policy_mapping: [{ ...mapping, [key]: null }] })),
    { policy_mapping: [{ ...mapping, authorized_by: [1] }] },
    { policy_mapping: [{ ...mapping, authorized_by: 'x' }] },
    { policy_mapping: [{ ...mapping, authorized_by: [] }] },
    { policy_mapping: [{ ...mapping, more: 1 }] },
    { policy_mapping: [mapping, mapping, { ...mapping, auth_source: 'nowhere', user_id: '' }] },
    { policy_info_location: 1 },
    { policy_info_location: ['x'] },
    { policy_other: 1 },
  ];
  // Its place in lists is another one when it is replaced, so it is the last one then.
  const first = (method: string, more: object) =>
    admin(method, '/collections', `replaced with ${JSON.stringify(more)}`, named('first', more));
  yield first('POST', {});
  yield first('PUT', { policy_annotation_tag: 'ex:policy', policy_mapping: [mapping] });
  yield admin('GET', '/collections/first', 'replaced');
  yield first('PUT', {});
  yield admin('GET', '/collections/first', 'without policies again');
  yield first('PUT', { policy_mapping: [{}] });
  for (const [at, one] of policies.entries()) {
    yield admin('POST', '/collections', `policies ${JSON.stringify(one)}`, named(`p${at}`, one));
    yield admin('GET', `/collections/p${at}`, `policies ${JSON.stringify(one)}`);
  }
  yield admin('GET', '/collections', 'all');
  for (const name of ['n 1', 'n/2', 'n/2/3', 'n.4', 'ñ', 'n#', 'n%', 'n&=', 'n+', 'c/record/x', 'n\\']) {
    yield admin('POST', '/collections', `name ${name}`, named(name));
    yield admin('POST', '/collections', `name ${name} again`, named(name));
    for (const spelling of spellings(name)) yield admin('GET', `/collections/${spelling}`, `name ${name}`);
    yield admin('PUT', '/collections', `name ${name} replaced`, named(name, { use_classes: ['Person'] }));
    yield admin('DELETE', `/collections/${spellings(name)[0]}`, `name ${name} deleted`);
    yield admin('GET', `/collections/${spellings(name)[0]}`, `name ${name} deleted`);
  }
  for (const name of ['v1', 'collections', 'tokens', 'admin_tokens', 'api', '__dump_things__'])
    yield admin('POST', '/collections', `reserved ${name}`, named(name));
  const hashed = {
    name: 'digested',
    ...token(
      'digested',
      'READ_CURATED',
      ['sql'],
      '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    ),
    hashed: true,
  };
  yield admin('POST', '/tokens', 'hashed', hashed);
  yield get(group, '/sql/records/p/Project?size=1', 'hello', 'the secret of a hashed token');
  yield admin('PUT', '/tokens', 'the same hash', hashed);
  yield admin('PUT', '/tokens', 'the same secret', {
    ...hashed,
    hashed: false,
    representation: 'hello',
    name: 'third',
  });
}
