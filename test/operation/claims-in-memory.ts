/** Compares new records with a million values, and counts their differences. It is run with little memory. */
import { resolve } from 'node:path';
import { claimOf } from '../../src/records/claim.ts';
import { claimDifferences } from '../../src/records/difference.ts';
import { openSchema } from '../../src/schema/schema.ts';

const schema = await openSchema(resolve(import.meta.dirname, '../../scripts/stalls/schema.yaml'));
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`);
const differences = [Array(2_000_000).fill('a'), numbered(100_000), numbered(850_000)].map((tags) => {
  const submitted = claimOf(schema, { className: 'Person', record: { pid: 'ex:a', tags } });
  return claimDifferences({ submitted, curated: null, base: null }).length;
});
console.log(differences.join(' '));
