/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([checked]: readonly string[]) => {
  assert.match(checked!, /"rows":\d+,"stored":0/);
};
