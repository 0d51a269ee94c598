/** What the commands of the page print, and where its other blocks are checked. */
import assert from 'node:assert/strict';

export const commands = ([read]: readonly string[]) => {
  assert.match(read!, /"affiliations":\[\{[^\]]*"pid":"labid:organization-/);
  assert.match(read!, /"items":\[.*"size":2/s);
};

export const blocks = { 'ts 1': 'in src/modules/expand/client.test.ts' };
