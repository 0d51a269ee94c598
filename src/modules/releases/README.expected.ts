/** What the commands of the page print, and where its other blocks are checked. */
import assert from 'node:assert/strict';

export const commands = ([, described, released, ...more]: readonly string[]) => {
  assert.match(described!, /zero\/1\.0/);
  assert.match(released!, /"state":"making".*"state":"done".*"path":"records\.nq"/s);
  assert.match(more.join('\n'), /^2026-11: withdrawn, SHA-256 [0-9a-f]{64}$/m);
};
