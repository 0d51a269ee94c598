import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { type AccessRules, authorize } from './authorize.ts';
import { configTokens, sha256, type TokenConfig, TokenDirectory } from './config-tokens.ts';
import type { Permissions } from './grant.ts';
import { permissionsOfMode, type TokenMode, tokenModes } from './modes.ts';

const tokens: Record<string, TokenConfig> = {
  plain: token('pia', inLab('READ_COLLECTION', 'pia'), 'plain-secret'),
  hashed: {
    ...token('hal', inLab('WRITE_COLLECTION', 'hal'), sha256('hashed-secret').toUpperCase()),
    hashed: true,
  },
  elsewhere: token('eve', { other: { mode: 'CURATOR', incoming_label: 'eve' } }, 'plain-secret'),
  zoneless: token('zoe', inLab('NOTHING'), 'zoneless-secret'),
  nameless: token('nobody', inLab('CURATOR', 'nobody')),
  everyone: token('anonymous', inLab('WRITE_COLLECTION', 'anonymous')),
  visitor: token('visitor', inLab('READ_CURATED')),
};

function token(userId: string, collections: TokenConfig['collections'], representation = ''): TokenConfig {
  return { user_id: userId, collections, hashed: false, representation };
}

function inLab(mode: TokenMode, label = ''): TokenConfig['collections'] {
  return { lab: { mode, incoming_label: label } };
}

function rules(defaultToken: string, directory = new TokenDirectory(tokens)): AccessRules {
  return {
    collection: 'lab',
    sources: [configTokens('lab', directory)],
    defaultGrant: directory.grantOfName(defaultToken, 'lab'),
  };
}

function letters({ readCurated, readZone, writeZone, curate }: Permissions): string {
  return [readCurated && 'r', readZone && 'z', writeZone && 'w', curate && 'c'].map((x) => x || '.').join('');
}

test('every mode grants what the table of the documentation says', () => {
  const table: Record<TokenMode, string> = {
    READ_CURATED: 'r...',
    READ_COLLECTION: 'rz..',
    WRITE_COLLECTION: 'rzw.',
    READ_SUBMISSIONS: '.z..',
    WRITE_SUBMISSIONS: '.zw.',
    WRITE_INCOMING: '.zw.',
    SUBMIT: 'r.w.',
    SUBMIT_ONLY: '..w.',
    NOTHING: '....',
    CURATOR: 'rzwc',
  };
  for (const mode of tokenModes) assert.equal(letters(permissionsOfMode[mode]), table[mode], mode);
});

test('a plain and a hashed token are found by their secret', async () => {
  const pia = await authorize(rules('none'), 'plain-secret');
  assert.deepEqual([pia.userId, pia.label, letters(pia.permissions)], ['pia', 'pia', 'rz..']);
  const hal = await authorize(rules('none'), 'hashed-secret');
  assert.deepEqual([hal.userId, hal.label, letters(hal.permissions)], ['hal', 'hal', 'rzw.']);
});

test('a hashed token may be presented behind an id, as clients of version 1 do, and a plain one may not', async () => {
  assert.equal((await authorize(rules('none'), 'hal-hashed-secret')).userId, 'hal');
  await assert.rejects(authorize(rules('none'), 'pia-plain-secret'), { code: 'token_refused' });
});

test('the hash of a token is not a token', async () => {
  await assert.rejects(authorize(rules('none'), sha256('hashed-secret')), { code: 'token_refused' });
  await assert.rejects(authorize(rules('none'), sha256('plain-secret')), { code: 'token_refused' });
});

test('without a token the default token applies', async () => {
  const grant = await authorize(rules('visitor'), undefined);
  assert.deepEqual([grant.userId, letters(grant.permissions)], ['visitor', 'r...']);
  assert.deepEqual(await authorize(rules('visitor'), ''), grant);
});

test('without a token, a default token that is not defined for the collection is a 401', async () => {
  await assert.rejects(
    authorize(rules('elsewhere'), undefined),
    new ServiceError('token_required', "The collection 'lab' needs a token, and the request has none."),
  );
  await assert.rejects(authorize(rules('none'), undefined), { code: 'token_required' });
});

test('an unknown token is refused with the reason of each source, and never falls back to the default token', async () => {
  const lab = rules('everyone');
  const second = {
    name: 'forge https://forge.example',
    authenticate: async () => ({ reason: 'no such user' }),
  };
  await assert.rejects(
    authorize({ ...lab, sources: [...lab.sources, second] }, 'unknown-secret'),
    new ServiceError(
      'token_refused',
      "The collection 'lab' does not accept the token (config: no such token; " +
        'forge https://forge.example: no such user).',
    ),
  );
});

test('the default token adds its user permissions, and the zone stays that of the accepted token', async () => {
  const grant = await authorize(rules('everyone'), 'plain-secret');
  assert.deepEqual([grant.userId, grant.label, letters(grant.permissions)], ['pia', 'pia', 'rzw.']);
});

test('a default token that may curate does not make others curators', async () => {
  const grant = await authorize(rules('nameless'), 'plain-secret');
  assert.equal(letters(grant.permissions), 'rzw.');
});

test('a token without a zone gains no zone rights from the default token', async () => {
  const grant = await authorize(rules('everyone'), 'zoneless-secret');
  assert.deepEqual([grant.label, letters(grant.permissions)], [undefined, 'r...']);
});

test('the first source that accepts the token decides, and later ones are not asked', async () => {
  const lab = rules('none');
  const never = {
    name: 'never',
    authenticate: () => assert.fail('asked'),
  };
  const grant = await authorize({ ...lab, sources: [...lab.sources, never] }, 'plain-secret');
  assert.equal(grant.userId, 'pia');
});

test('replaced tokens take effect for the next request', async () => {
  const directory = new TokenDirectory(tokens);
  const lab = rules('none', directory);
  await authorize(lab, 'plain-secret');
  directory.replace({});
  await assert.rejects(authorize(lab, 'plain-secret'), { code: 'token_refused' });
});

test('collections and tokens may be named like members of every object', async () => {
  const named = { constructor: token('c', inLab('NOTHING'), 's') };
  const directory = new TokenDirectory(named);
  assert.equal(directory.grantOfSecret('s', 'constructor'), undefined);
  assert.equal(directory.grantOfName('toString', 'lab'), undefined);
  assert.equal(directory.grantOfName('constructor', 'lab')?.userId, 'c');
});
