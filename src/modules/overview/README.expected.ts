/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, counts, values, weeks, submissions]: readonly string[]) => {
  assert.match(counts!, /"records":\d+.*"slots":\[/s);
  assert.match(values!, /"kind":"values".*"bars":\[/s);
  assert.match(weeks!, /"made":\d+/);
  assert.match(submissions!, /"submitters":\[/);
};
