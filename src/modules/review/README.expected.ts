/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = (outputs: readonly string[]) => {
  const [
    ,
    summary,
    item,
    accepted,
    conflict,
    rejected,
    asked,
    assigned,
    many,
    undone,
    ,
    stored,
    seen,
    answered,
    withdrawn,
  ] = outputs;
  assert.match(summary!, /"new":\d/);
  assert.match(summary!, /"diverged":\d/);
  assert.match(item!, /"changed_by":"curator"/);
  assert.match(item!, /www\.example\.org\/danuta/);
  assert.equal(accepted!.trim(), 'accept');
  assert.equal(conflict!.trim(), 'accept');
  assert.equal(rejected!.trim(), 'reject');
  assert.equal(asked!.trim(), 'answer\n1');
  assert.equal(assigned!.trim(), 'curator@example.org\n1');
  assert.equal(many!.trim(), '2');
  assert.equal(undone!.trim(), 'curator@example.org');
  assert.match(stored!, /Kit Moss/);
  assert.match(seen!, /"status":"waiting"/);
  assert.match(seen!, /Our new engineer/);
  assert.match(answered!, /"role":"submitter".*Kit started in May/s);
  assert.match(withdrawn!, /"status":"withdrawn"/);
};
