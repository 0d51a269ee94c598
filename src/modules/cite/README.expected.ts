/** What the commands of the page print. */
import assert from 'node:assert/strict';

export const commands = ([, set, text, bibtex]: readonly string[]) => {
  assert.match(set!, /"creators":\[/);
  assert.match(text!, /Hopper, Grace \(\d{4}\): Ada Abe\. .*http/);
  assert.match(bibtex!, /^@dataset\{labid-person-ada-abe,/);
};
