import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listening } from '../../../test/cli/service.ts';
import { organization, person } from '../../../test/support/people.ts';
import { connect } from '../../client/client.ts';
import type {} from './client.ts';

test('the client reads records with what they refer to', async (t) => {
  const { url } = await listening(t);
  const { curated } = connect({ url, token: 'cur' }).collection('lab');
  await curated.put('Organization', organization('institute'));
  await curated.put('Person', person('ada', { affiliations: ['labid:institute'] }));
  const found = await curated.get('labid:ada', { expand: 'affiliations', fields: 'name' });
  const { affiliations, family_name } = found!.record as { affiliations?: object[]; family_name?: string };
  assert.deepEqual(affiliations, [{ ...affiliations![0], pid: 'labid:institute' }]);
  assert.equal(family_name, undefined);
});
