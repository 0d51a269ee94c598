import { costsOf } from '../../../test/cost/costs-of.ts';
import { normalizeIdentifier } from './identify.ts';

costsOf({ 'an identifier': (n) => normalizeIdentifier(`${'doi.org/10.1234/'.repeat(n / 16)} x`) });
