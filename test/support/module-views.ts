/** The views that modules add to the desk, in their `desk.expected.ts`: for pictures, and for tests of how each view looks. */
import type { Page } from 'playwright-core';
import { expectedOfModules } from './module-files.ts';

export type ModuleView = {
  /** The name of the picture. */
  readonly name: string;
  /**
   * The path below the desk, with `{collection}` for the name of a collection, and `{submission}` for the query of a submission
   * that waits in it.
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

/** Opens the dialog of the first button of a section, which makes another one of what is listed there. */
export async function addNew(page: Page): Promise<void> {
  await page.locator('main .head button').first().click();
}
