/** Terms of vocabularies in the forms of the desk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsStore } from '../../../../test/support/cells.ts';
import { skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { missingTerms } from '../../../core/collections/terms.ts';

useBrowser();

test('a term is found by its label or in the tree, with its definition', { skip }, async (t) => {
  const { store, collection } = cellsStore(t);
  const configuration = {
    collections: { samples: collection },
    tokens: { nobody: {}, ann: { samples: 'WRITE_COLLECTION' } },
  };
  const { service, open, complaints } = await testDesk(t, configuration, { store });
  await eventually('terms', () => missingTerms(service.app.registry.collection('samples')).length === 0);
  const page = await open('samples/new/Sample', 'ann');
  const field = page.getByRole('combobox', { name: 'cell' });
  await field.fill('pyra');
  await page.getByRole('option', { name: 'pyramidal neuron' }).waitFor();
  await field.fill('nerve');
  await page.getByRole('option', { name: 'neuron CL:0000540' }).waitFor();
  await page.getByText('A cell that receives, processes and sends electrical signals.').waitFor();
  await page.getByRole('button', { name: 'Narrower terms' }).click();
  await page.getByRole('option', { name: 'motor neuron' }).click();
  await page.getByRole('button', { name: 'Remove motor neuron' }).waitFor();
  await page.getByLabel('pid').first().fill('ex:one');
  await page.getByRole('button', { name: /^Submit/ }).click();
  const isStored = async () =>
    (await service.request('GET', '/samples/record?pid=ex:one', { token: 'ann' })).text !== 'null';
  await eventually('the record', isStored);
  const { text } = await service.request('GET', '/samples/record?pid=ex:one', { token: 'ann' });
  assert.match(text, /"cell":"CL:0000100"/);
  assert.deepEqual(complaints, []);
});
