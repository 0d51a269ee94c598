/** A process that only reads a store shows what the service that owns it has stored, in every view. */
import { test } from 'node:test';
import { organization, person } from '../support/people.ts';
import { ofTier } from '../support/tier.ts';
import { change, pair } from './pair.ts';
import { same } from './views.ts';

for (const backend of ofTier(['sqlite', 'record_dir+stl'])) {
  test(`${backend}: the next request sees every change of the owner, in every view`, async (t) => {
    const both = await pair(t, backend);
    const { owner } = both;
    const curated = (json: object, className = 'Person') =>
      change(owner, 'POST', `/lab/curated/record/${className}`, json);
    const submit = (json: object, token: string) => change(owner, 'POST', '/lab/record/Person', json, token);
    await same(both, 'empty');
    await curated(person('ada', { given_name: 'Cloak' }));
    await same(both, 'the first record');
    await submit(person('will'), 'writer');
    await same(both, 'the first submission, which makes a zone');
    await curated(organization('firm'), 'Organization');
    await curated(person('bea', { affiliations: ['labid:firm', 'labid:none'] }));
    await curated(person('cy'));
    await same(both, 'more records');
    await submit(person('ada', { given_name: 'Dagger' }), 'writer');
    await same(both, 'a submission that shadows a curated record');
    await curated(person('bea', { given_name: 'Dagger' }));
    await same(both, 'a replaced record');
    await change(owner, 'DELETE', '/lab/curated/record?pid=labid:cy');
    await same(both, 'a deleted record');
    await submit(person('new'), 'late');
    await same(both, 'a zone that was read before it existed');
  });
}
