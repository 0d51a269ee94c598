/** A process that only reads a store shows the renames of the service that owns it, in every view. */
import { test } from 'node:test';
import { change, pair } from '../../../test/follow/pair.ts';
import { same } from '../../../test/follow/views.ts';
import { organization, person } from '../../../test/support/people.ts';
import { ofTier } from '../../../test/support/tier.ts';

for (const backend of ofTier(['sqlite', 'record_dir+stl'])) {
  test(`${backend}: the next request sees every rename of the owner, in every view`, async (t) => {
    const both = await pair(t, backend);
    const { owner } = both;
    await change(owner, 'POST', '/lab/curated/record/Organization', organization('firm'));
    const bea = person('bea', { affiliations: ['labid:firm'] });
    await change(owner, 'POST', '/lab/curated/record/Person', bea);
    await same(both, 'records');
    await change(owner, 'POST', '/-/lab/curated/rename', { from: 'labid:firm', to: 'labid:company' });
    await same(both, 'a rename');
  });
}
