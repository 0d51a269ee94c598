/** What the commands of the page print, and where its other blocks are checked. */
import assert from 'node:assert/strict';
import { readYaml } from '#linkml/yaml/read.ts';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { parseConfiguration } from '../../core/config/parse.ts';

export const commands = ([, rehearsed, added, found, refreshed, switched]: readonly string[]) => {
  assert.match(rehearsed!, /"newly_invalid":0/);
  assert.equal(added!.trim(), 'done');
  assert.equal(found!.trim(), 'METHOD:3\nmicroscopy');
  assert.equal(refreshed!.trim(), 'The vocabulary methods has other terms.');
  assert.equal(switched!.trim(), 'done');
};

export const blocks = {
  'yaml 1': 'packages/linkml/src/terms/terms.test.ts has such enums',
  'yaml 2': (text: string) => {
    const { collections } = readYaml(text) as { collections: object };
    const others = { default_token: 'public', curated: 'samples/curated' };
    const [[name, one]] = Object.entries(collections) as [[string, object]];
    const configured = { [name]: { ...others, ...one } };
    parseConfiguration({ type: 'collections', version: 2, collections: configured }, SCHEMAS);
  },
};
