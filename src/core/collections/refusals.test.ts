import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permissionsOfMode, type TokenMode } from '../access/modes.ts';
import { userRefused } from './refusals.ts';

test('a refusal names a mode that permits the request, and nothing else', () => {
  const grant = { source: 'config', userId: 'ann', label: undefined, permissions: permissionsOfMode.NOTHING };
  const namedFor = (action: Parameters<typeof userRefused>[0]) => {
    const [mode] = /\b[A-Z]+_[A-Z]+\b/.exec(userRefused(action, 'lab', grant).message) ?? [];
    return permissionsOfMode[mode as TokenMode];
  };
  const none = permissionsOfMode.NOTHING;
  assert.deepEqual(namedFor('read'), { ...none, readCurated: true });
  assert.deepEqual(namedFor('read-zone'), { ...none, readZone: true });
  for (const action of ['store', 'validate', 'remove'] as const)
    assert.deepEqual(namedFor(action), { ...none, writeZone: true });
  assert.deepEqual(namedFor('answer'), { ...none, readZone: true, writeZone: true });
});
