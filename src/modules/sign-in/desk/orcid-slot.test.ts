import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOrcidSlot, orcidFor } from './orcid-slot.ts';

const ORCID = 'https://orcid.org/0000-0002-1825-0097';
const slot = (name: string, pattern: string | null = null, multivalued = false) => ({
  name,
  pattern,
  multivalued,
});

test('slots for ORCID iDs are known by their names or patterns', () => {
  assert.ok(isOrcidSlot(slot('orcid')));
  assert.ok(isOrcidSlot(slot('identifier', String.raw`^orcid:\d{4}-\d{4}-\d{4}-\d{3}[0-9X]$`)));
  assert.ok(!isOrcidSlot(slot('identifier', String.raw`^\d{4}$`)));
  assert.ok(!isOrcidSlot(slot('orcids', null, true)));
});

test('an iD has the form that the slot demands', () => {
  assert.equal(orcidFor(slot('orcid'), ORCID), ORCID);
  assert.equal(orcidFor(slot('orcid', '^orcid:'), ORCID), 'orcid:0000-0002-1825-0097');
  assert.equal(orcidFor(slot('orcid', String.raw`^\d{4}-`), ORCID), '0000-0002-1825-0097');
  assert.equal(orcidFor(slot('orcid', '^doi:'), ORCID), undefined);
  assert.equal(orcidFor(slot('orcid', '(?x)('), ORCID), undefined);
});
