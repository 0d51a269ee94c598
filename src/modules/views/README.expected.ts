/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, printed]: readonly string[]) => {
  const view = '{"class":"Person","name":"Addresses","query":"sort=-name&columns=email"}';
  assert.equal(printed!.trim(), `${view}{"items":[${view}]}null`);
};
