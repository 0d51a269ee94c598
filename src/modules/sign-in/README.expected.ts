/** What the blocks of the page are checked by. */
import { readYaml } from '#linkml/yaml/read.ts';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { parseConfiguration } from '../../core/config/parse.ts';

export const blocks = {
  'yaml 1': (text: string) => {
    const lab = { schema: 's', default_token: 'public', curated: 'lab', ...(readYaml(text) as object) };
    parseConfiguration({ type: 'collections', version: 2, collections: { lab } }, SCHEMAS);
  },
};
