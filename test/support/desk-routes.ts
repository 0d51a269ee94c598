/** The views of the desk as its code lists them, so that a test of every view has a new one without naming it. */
import { resolve } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { DESK } from '../../scripts/build-ui.ts';
import { ADMIN } from './app.ts';

const UI = resolve(import.meta.dirname, '../../ui');

/** A path below the desk, and the token of `PEOPLE` that may see it. */
export type Route = { readonly path: string; readonly token: string };

/** With the permissions in the collection of which one is needed, if one is. */
type Listed = { readonly path: string; readonly needs?: readonly string[] };

const ENTRY = `
  import { ADMIN_SECTIONS } from './admin/sections.ts';
  import { DESK_VIEWS, NEEDS, VIEWS } from './routes.ts';
  import { STEWARDSHIP_SECTIONS } from './stewardship/sections.ts';
  const below = Object.keys(VIEWS).filter((name) => name !== 'admin');
  export const routes = [
    { path: '' },
    { path: 'sign-in' },
    ...Object.keys(DESK_VIEWS).map((path) => ({ path })),
    ...below.map((name) => ({ path: '{collection}/' + name, needs: NEEDS[name] })),
    ...STEWARDSHIP_SECTIONS.map(({ name }) => ({ path: '{collection}/stewardship/' + name, needs: NEEDS.stewardship })),
    ...ADMIN_SECTIONS.map(({ name }) => ({ path: 'admin/' + name })),
  ];
`;

/** @param page any page of the desk: its modules need one to run in */
export async function deskRoutes(page: Page, collection: string): Promise<readonly Route[]> {
  const { outputFiles } = await build({
    ...DESK,
    stdin: { contents: ENTRY, resolveDir: UI },
    format: 'iife',
    globalName: 'listed',
    define: { 'import.meta.url': 'location.href' },
    write: false,
  });
  const routes = await page.evaluate<Listed[]>(
    `(() => { ${outputFiles[0]!.text}; return listed.routes; })()`,
  );
  return routes.map(({ path, needs = ['curate'] }) => ({
    path: path.replace('{collection}', collection),
    token: path.startsWith('admin/') ? ADMIN : needs.includes('curate') ? 'cora' : 'ann',
  }));
}
