/** Where the blocks of the page are checked. */

import { readYaml } from '#linkml/yaml/read.ts';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { parseConfiguration } from '../../core/config/parse.ts';

export const blocks = {
  'yaml 1': (text: string) => {
    const { collections } = readYaml(text) as { collections: { lab: object } };
    const lab = { schema: 'lab.yaml', default_token: 'none', curated: 'lab/curated', ...collections.lab };
    parseConfiguration({ type: 'collections', version: 2, collections: { lab } }, SCHEMAS);
  },
};
