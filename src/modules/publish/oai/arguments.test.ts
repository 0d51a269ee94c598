/** The arguments of harvesters, which strangers write. */
import assert from 'node:assert/strict';
import { costsOf } from '../../../../test/cost/costs-of.ts';
import { argumentsOf } from './arguments.ts';
import { OaiError } from './oai.ts';

const names = (n: number) => Array.from({ length: n / 4 }, (_, at) => at.toString(36)).join('&');

costsOf({
  'arguments of a harvester': (n) => assert.throws(() => argumentsOf(`verb=Identify&${names(n)}`), OaiError),
});
