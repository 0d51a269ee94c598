/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, inbox]: readonly string[]) => {
  assert.match(inbox!, /"items":\[.*"unread":\d+.*null/s);
};
