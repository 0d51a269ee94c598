/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([
  ,
  links,
  refused,
  settings,
  renamed,
  moved,
  pairs,
  merged,
  undone,
]: readonly string[]) => {
  assert.match(links!, /^[1-9]\d*\n.*"slot"/);
  assert.match(refused!, /refers to 'labid:organization-brightfield-optics'/);
  assert.match(settings!, /"on_delete":"refuse"/);
  assert.match(renamed!, /^[1-9]\d*\nlabid:organization-brightfield\n$/);
  assert.match(moved!, /labid%3Aorganization-brightfield\r?\n/);
  assert.match(pairs!, /labid:person-g-grossmann/);
  assert.match(pairs!, /labid:person-grace-grossmann/);
  assert.match(merged!, /"\/name".*\nmerge\n$/);
  assert.equal(undone!.trim(), 'merge');
};
