/** What the commands of the page print, and where its other blocks are checked. */
import assert from 'node:assert/strict';

export const commands = ([, made, sent, removed]: readonly string[]) => {
  assert.match(made!, /"secret":"whsec_/);
  assert.match(sent!, /"delivered":false.*"state":"active".*"items":\[\]/s);
  assert.equal(removed!.trim(), 'null');
};

export const blocks = { 'json 1': 'in src/modules/webhooks/webhooks.test.ts' };
