/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, inbox, marked]: readonly string[]) => {
  assert.match(inbox!, /"items":\[.*"unread":\d+/s);
  assert.equal(marked!.trim(), 'null');
};
