/** Reads of records as they were before and after a rename, which changes several at once. */
import { testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { assertReadAsThen, configuration } from '../../../test/support/former-reads.ts';
import { organization, person } from '../../../test/support/people.ts';
import { repeated } from '../../../test/support/tier.ts';

for (const type of BACKENDS) {
  repeated(`${type}: every read answers as it did before and after a rename`, async (t) => {
    await assertReadAsThen(await testApp(t, configuration(type)), [
      ['cur', 'POST', '/c/curated/record/Organization', organization('c')],
      ['ann', 'POST', '/c/record/Person', person('b', { given_name: 'ann', affiliations: ['labid:c'] })],
      ['cur', 'POST', '/c/curated/record/Person', person('b', { affiliations: ['labid:c'] })],
      ['cur', 'POST', '/-/c/curated/rename', { from: 'labid:c', to: 'labid:z' }],
      ['ann', 'DELETE', '/c/record?pid=labid:b'],
      ['cur', 'POST', '/c/curated/record/Organization', organization('c')],
    ]);
  });
}
