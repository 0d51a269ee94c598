/** How the cost of reading paths grows with their length. */

import { costsOf } from '../../../test/cost/costs-of.ts';
import { LABORATORY } from '../../../test/support/app.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { parsePaths } from './paths.ts';

const schema = await openSchema(LABORATORY);

costsOf({
  'steps of an expansion': (n) => parsePaths(schema, 'a.'.repeat(n / 2)),
  'open steps of an expansion': (n) => parsePaths(schema, '(.'.repeat(n / 2)),
});
