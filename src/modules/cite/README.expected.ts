/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, cited]: readonly string[]) => {
  assert.match(cited!, /"creators":\[/);
  assert.match(cited!, /Hopper, Grace \(\d{4}\): Ada (B\. )?Abe\. .*http/);
  assert.match(cited!, /^@dataset\{labid-person-ada-abe,/m);
};
