import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import { type Configuration, EMPTY_CONFIGURATION } from './config.ts';
import { CONFIGURATION_AREA, CONFIGURATION_PID, configurationChange, type Persistent } from './record.ts';
import { type ConfigurationHost, ConfigurationState, SERVER_ID } from './state.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'accession-state-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Carries out everything but tokens of the name `impossible`, and notes what became of it. */
class Recorder implements ConfigurationHost {
  readonly events: string[] = [];
  active: Configuration = EMPTY_CONFIGURATION;

  async readAhead() {
    return this.prepare.bind(this);
  }

  async prepare({ configuration: next }: Persistent) {
    if (next.tokens.impossible) throw new ServiceError('schema_invalid', 'the schema is not readable');
    return {
      activate: async () => {
        this.events.push('activate');
        this.active = next;
      },
      discard: async () => {
        this.events.push('discard');
      },
    };
  }

  maintain() {}
}

async function open(initial = EMPTY_CONFIGURATION, wrap = (database: Database) => database) {
  const database = await openSqliteDatabase(join(root, 'accession.db'));
  const area = await database.area(CONFIGURATION_AREA);
  const host = new Recorder();
  const history = () => area.entries({ iris: [CONFIGURATION_PID], limit: 1000 });
  const close = () => database.close();
  try {
    const parts = { database: wrap(database), area, root, host, schemas: SCHEMAS };
    const state = await ConfigurationState.open(parts, async () => initial);
    return { state, area, history, host, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const textOf = (configuration: Configuration) => configurationChange(configuration, root).put.json;

function withToken(name: string, userId = name) {
  return (current: Configuration): Configuration => ({
    ...current,
    tokens: {
      ...current.tokens,
      [name]: { user_id: userId, collections: {}, hashed: false, representation: name },
    },
  });
}

test('a change is in effect, stored, and logged under the name of the administrator', async () => {
  const { state, history, host, close } = await open();
  await state.change(withToken('a'), 'root');
  assert.equal(host.active, state.configuration);
  assert.deepEqual(
    (await history()).map(({ json, committer, author }) => [json, committer, author]),
    [[textOf(state.configuration), SERVER_ID, 'root']],
  );
  await close();
  const again = await open();
  assert.deepEqual(Object.keys(again.state.configuration.tokens), ['a']);
  assert.deepEqual(again.host.events, ['activate']);
  await again.close();
});

test('an edit that leaves everything as it was adds no entry', async () => {
  const { state, area, history, host, close } = await open();
  await state.change(withToken('a'), 'root');
  const revision = await area.revision();
  await state.change(withToken('a'), 'root');
  assert.deepEqual([(await history()).length, await area.revision()], [1, revision]);
  await state.change(withToken('a', 'other'), 'root');
  assert.equal((await history()).length, 2);
  assert.equal(host.active.tokens.a?.user_id, 'other');
  await close();
});

test('a change that cannot be carried out leaves everything as it was', async () => {
  const { state, area, history, host, close } = await open();
  await state.change(withToken('a'), 'root');
  const before = [state.configuration, await area.revision()];
  await assert.rejects(state.change(withToken('impossible'), 'root'), { code: 'schema_invalid' });
  await assert.rejects(
    state.change(() => {
      throw new ServiceError('name_taken', 'taken');
    }, 'root'),
    { code: 'name_taken' },
  );
  assert.deepEqual([state.configuration, await area.revision()], before);
  assert.equal((await history()).length, 1);
  assert.deepEqual(host.events, ['activate']);
  await state.change(withToken('b'), 'root');
  assert.deepEqual(Object.keys(state.configuration.tokens), ['a', 'b']);
  await close();
});

test('a change that cannot be stored is discarded, and is in no log', async () => {
  const full = async () => {
    throw new ServiceError('storage_failed', 'the disk is full');
  };
  const { state, history, host, close } = await open(EMPTY_CONFIGURATION, (database) => ({
    ...database,
    transact: full,
  }));
  await assert.rejects(state.change(withToken('a'), 'root'), { code: 'storage_failed' });
  assert.deepEqual(state.configuration.tokens, {});
  assert.deepEqual(host.events, ['discard']);
  assert.deepEqual(await history(), []);
  await close();
});

test('thirty changes at the same time all take effect, one after the other, and all are in the log', async () => {
  const { state, history, close } = await open();
  const names = Array.from({ length: 30 }, (_, index) => `t${index}`);
  await Promise.all(names.map((name) => state.change(withToken(name), name)));
  assert.deepEqual(Object.keys(state.configuration.tokens), names);
  const entries = await history();
  assert.deepEqual(
    entries.map(({ author }) => author),
    names,
  );
  assert.equal(entries.at(-1)?.json, textOf(state.configuration));
  await close();
});

test('the initial configuration is asked for once, and stored', async () => {
  const first = await open(withToken('a')(EMPTY_CONFIGURATION));
  assert.equal((await first.history())[0]?.author, SERVER_ID);
  await first.close();
  const second = await open(withToken('b')(EMPTY_CONFIGURATION));
  assert.deepEqual(Object.keys(second.state.configuration.tokens), ['a']);
  await second.close();
});

test('an initial configuration that cannot be carried out is not stored', async () => {
  await assert.rejects(open(withToken('impossible')(EMPTY_CONFIGURATION)), { code: 'schema_invalid' });
  const { area, close } = await open();
  assert.equal(await area.get(CONFIGURATION_PID), undefined);
  await close();
});

test('maintenance survives a restart, ends with its collection, and may be switched on twice', async () => {
  const withLab = (current: Configuration) =>
    ({ ...current, collections: { lab: { curated: 'lab' } } }) as unknown as Configuration;
  const first = await open();
  await first.state.change(withLab, 'root').catch(() => {});
  await first.state.setMaintenance('lab', true);
  await first.state.setMaintenance('lab', true);
  await first.state.change((current) => ({ ...current, collections: {} }), 'root');
  assert.equal(first.state.maintenance.size, 0);
  await first.state.setMaintenance('lab', true);
  await first.close();
  const second = await open();
  assert.deepEqual([...second.state.maintenance], ['lab']);
  await second.close();
});
