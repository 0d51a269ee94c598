/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, counted]: readonly string[]) => {
  assert.match(counted!, /"records":\d+.*"slots":\[/s);
  assert.match(counted!, /"kind":"values".*"bars":\[/s);
  assert.match(counted!, /"made":\d+/);
  assert.match(counted!, /"submitters":\[/);
};
