/** Compares new records with a million values, and counts their differences. It is run with little memory. */
import { resolve } from 'node:path';
import type { JsonObject } from '#linkml/json.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { claimOf } from './claim.ts';
import { claimDifferences } from './differences.ts';

const schema = await openSchema(resolve(import.meta.dirname, '../../../scripts/stalls/schema.yaml'));
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`);
const annotations = Object.fromEntries(numbered(450_000).map((tag) => [`ex:${tag}`, tag]));
const records: JsonObject[] = [
  { tags: Array(2_000_000).fill('a') },
  { tags: numbered(20_000) },
  { tags: numbered(850_000) },
  { annotations },
];
const differences = records.map((members) => {
  const submitted = claimOf(schema, { className: 'Person', record: { pid: 'ex:a', ...members } });
  return claimDifferences({ submitted, curated: null, base: null }).length;
});
console.log(differences.join(' '));
