/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, diff, rehearsed, line, switched, faults, undone]: readonly string[]) => {
  assert.match(diff!, /aliases: \[email\]/);
  assert.match(rehearsed!, /^done$/m);
  assert.match(rehearsed!, /"newly_invalid":0/);
  assert.match(rehearsed!, /is called mail now/);
  assert.match(line!, /"outcome":"mendable"/);
  assert.match(switched!, /^done\n[1-9]/);
  assert.equal(faults!.trim(), '0');
  assert.equal(undone!.trim(), 'done');
};
