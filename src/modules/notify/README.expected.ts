/** What the commands of the page print, and what its block is checked by. */
import assert from 'node:assert/strict';
import { readYaml } from '#linkml/yaml/read.ts';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { parseConfiguration } from '../../core/config/parse.ts';

export const commands = ([, inbox, followed]: readonly string[]) => {
  assert.match(inbox!, /"items":\[.*"unread":\d+.*null/s);
  assert.match(followed!, /"records":\["labid:person-ada-abe"\]/);
};

export const blocks = {
  'yaml 1': (text: string) => {
    const { collections } = readYaml(text) as { collections: { laboratory: object } };
    const laboratory = { schema: 's', default_token: 'public', curated: 'lab', ...collections.laboratory };
    parseConfiguration({ type: 'collections', version: 2, collections: { laboratory } }, SCHEMAS);
  },
};
