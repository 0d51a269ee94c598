/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, printed]: readonly string[]) => {
  assert.match(printed!, /^200\n\{"items":\[\{"name":"shared-[0-9a-f]{12}","title":"Reviewers of the grant"/);
  assert.match(printed!, /null\s*$/);
};
