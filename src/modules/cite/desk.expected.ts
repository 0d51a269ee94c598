/** The views of the desk: it adds to those of records alone. */
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [];
