/** The views of the desk. */
import type { Page } from 'playwright-core';
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  { name: 'schema', path: '{collection}/schema', as: 'curator' },
  { name: 'schema-tried', path: '{collection}/schema', as: 'administrator', open: requireOrcid },
];

/** Tries a schema that some persons do not fit. */
async function requireOrcid(page: Page): Promise<void> {
  // The editor has only the lines in sight in the document: the text comes from the service, and goes back as a file.
  const schema = await page.evaluate<string>(`
    fetch(location.pathname.replace('/desk/', '/'), {
      headers: { 'x-service-token': sessionStorage.getItem('accession.token') },
    }).then((response) => response.text())
  `);
  const other = schema.replace(
    /( {6}family_name:\n {8}required: true)/,
    '$1\n      orcid:\n        required: true',
  );
  await page
    .locator('#schema-file')
    .setInputFiles({ name: 'new.yaml', mimeType: 'application/yaml', buffer: Buffer.from(other) });
  await page.locator('main form [type=submit]').click();
  const title = page.locator('main .stack .head h3').last();
  await title.waitFor();
  await title.evaluate((element) => element.scrollIntoView());
}
