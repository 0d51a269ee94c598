/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, , accepted, listed]: readonly string[]) => {
  assert.match(accepted!, /^\{"name":"bea"/);
  assert.match(listed!, /^null\b/);
  assert.match(listed!, /"state":"revoked".*"state":"accepted"|"state":"accepted".*"state":"revoked"/s);
};
