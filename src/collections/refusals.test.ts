import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permissionsOfMode, type TokenMode } from '../access/modes.ts';
import { userRefused } from './refusals.ts';

test('a refusal names a mode that permits the read, and nothing else', () => {
  const grant = { source: 'config', userId: 'ann', label: undefined, permissions: permissionsOfMode.NOTHING };
  const namedFor = (action: 'read' | 'read-zone') => {
    const [mode] = /\b[A-Z]+_[A-Z]+\b/.exec(userRefused(action, 'lab', grant).message) ?? [];
    return permissionsOfMode[mode as TokenMode];
  };
  const none = permissionsOfMode.NOTHING;
  assert.deepEqual(namedFor('read'), { ...none, readCurated: true });
  assert.deepEqual(namedFor('read-zone'), { ...none, readZone: true });
});
