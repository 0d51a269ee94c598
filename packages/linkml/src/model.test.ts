import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openElements } from '../test/open-schema.ts';

const ELEMENTS = `
slots:
  pid: {identifier: true, range: uriorcurie}
  steps: {multivalued: true, list_elements_ordered: true, title: Steps, aliases: [phases]}
  label: {slot_uri: ex:name, exact_mappings: [ex:name]}
classes:
  Plan:
    title: A plan
    aliases: [Scheme]
    exact_mappings: [ex:Scheme, other:Plan]
    slots: [pid, steps, label]
    slot_usage: {label: {title: Name}}
    unique_keys: {by_label: {unique_key_slots: [label]}}
`;

test('the model has titles, other names, mappings and the order of lists', async () => {
  const plan = (await openElements(ELEMENTS)).classes.get('Plan')!;
  assert.deepEqual(
    [plan.title, plan.aliases, plan.exactMappings],
    ['A plan', ['Scheme'], ['https://example.org/ns/Scheme', 'other:Plan']],
  );
  const steps = plan.slots.get('steps')!;
  assert.deepEqual([steps.title, steps.aliases, steps.orderedElements], ['Steps', ['phases'], true]);
  const label = plan.slots.get('label')!;
  assert.deepEqual(
    [label.title, label.uri, label.orderedElements],
    ['Name', 'https://example.org/ns/name', false],
  );
  assert.deepEqual(label.exactMappings, ['https://example.org/ns/name']);
  assert.deepEqual(
    [plan.identifier?.name, plan.key, plan.uniqueKeys[0]?.slots],
    ['pid', undefined, ['label']],
  );
});
