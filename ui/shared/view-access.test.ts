import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Access, Permission } from './session.ts';
import { collectionFor } from './view-access.ts';

const withPermissions = (...permissions: Permission[]) => ({ permissions }) as unknown as Access;

test('a view is opened in the current collection, or in the first that grants one of the permissions it needs', () => {
  const collections = {
    none: withPermissions(),
    read: withPermissions('read_curated'),
    write: withPermissions('read_zone', 'write_zone'),
    all: withPermissions('read_curated', 'read_zone', 'write_zone', 'curate'),
  };
  for (const [current, needs, expected] of [
    ['all', ['curate'], 'all'],
    ['write', ['curate'], 'all'],
    ['read', ['write_zone', 'curate'], 'write'],
    ['all', ['write_zone', 'curate'], 'all'],
    // Without permissions that are named, any suffices.
    ['none', undefined, 'read'],
    ['write', undefined, 'write'],
    [undefined, undefined, 'read'],
    ['elsewhere', undefined, 'read'],
  ] as const)
    assert.equal(collectionFor(collections, current, needs), expected, `${needs} from ${current}`);
  assert.equal(collectionFor({ none: withPermissions() }, 'none'), undefined);
  assert.equal(collectionFor({}, undefined, ['curate']), undefined);
});
