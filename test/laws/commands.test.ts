/** Every command is run from the packed package: modules that are missing there show only when a command runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allCommands } from '../../src/cli/main.ts';
import { commandLines } from '../cli/command-lines.ts';
import { RUNS } from '../cli/package-runs.ts';

test('every command but serve has a line in test/cli/package-runs.ts', () => {
  const lines = RUNS.map(([args]) => `${args.join(' ')} `);
  const names = commandLines(allCommands()).map(({ name }) => name);
  const never = names.filter((name) => !lines.some((line) => line.startsWith(`${name} `)));
  // The long test starts the service itself.
  assert.deepEqual(never, ['serve'], 'commands without a line');
});
