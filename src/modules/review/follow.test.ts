/** A process that only reads a store shows the decisions of the service that owns it, in every view. */
import { test } from 'node:test';
import { change, get, pair } from '../../../test/follow/pair.ts';
import { same } from '../../../test/follow/views.ts';
import { person } from '../../../test/support/people.ts';

for (const backend of ['sqlite', 'record_dir+stl']) {
  test(`${backend}: the next request sees every decision of the owner, in every view`, async (t) => {
    const both = await pair(t, backend);
    const { owner } = both;
    await change(owner, 'POST', '/lab/curated/record/Person', person('ada', { given_name: 'Cloak' }));
    await change(owner, 'POST', '/lab/record/Person', person('ada', { given_name: 'Dagger' }), 'writer');
    await same(both, 'a submission');
    const item = await get(owner, '/-/lab/review/item?label=writer&pid=labid:ada');
    const { digest } = item.json<{ digest: string }>();
    await change(owner, 'POST', '/-/lab/review/decisions', {
      label: 'writer',
      pid: 'labid:ada',
      digest,
      decision: 'accept',
    });
    await same(both, 'a decision');
  });
}
