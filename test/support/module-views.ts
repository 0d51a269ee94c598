/** The views that modules add to the desk, in their `desk.expected.ts`: for pictures, and for tests of how each view looks. */
import type { Page } from 'playwright-core';
import { expectedOfModules } from './module-files.ts';

export type ModuleView = {
  /** The name of the picture. */
  readonly name: string;
  /**
   * The path below the desk, with `{collection}` for the name of a collection, `{submission}` for the query of a submission that waits
   * in it, and `{record}` and `{other}` for the pids of two curated records.
   */
  readonly path: string;
  readonly as: 'submitter' | 'curator' | 'administrator';
  /** Opens a dialog of the view. */
  readonly open?: (page: Page) => Promise<unknown>;
};

export async function moduleViews(): Promise<readonly ModuleView[]> {
  const all = await expectedOfModules<{ views: readonly ModuleView[] }>('desk');
  return all.flatMap(([, { views }]) => views);
}

/** The path of a view for a collection, its submission and its records. */
export function pathOf(
  { path }: Pick<ModuleView, 'path'>,
  named: Readonly<Record<'collection' | 'submission' | 'record' | 'other', string>>,
): string {
  return path.replace(
    /\{(collection|submission|record|other)\}/g,
    (_, name: keyof typeof named) => named[name],
  );
}

/** Opens the dialog of the first button of a section, which makes another one of what is listed there. */
export async function addNew(page: Page): Promise<void> {
  await page.locator('main .head button').first().click();
}
