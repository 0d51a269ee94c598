/** The caches that all collections of a service share, besides that of pages. */
import type { Database } from '../storage/database.ts';
import { FormerViews } from './former-views.ts';
import { Overlays } from './zones.ts';

export type Caches = {
  readonly former: FormerViews;
  readonly overlays: Overlays;
};

export function makeCaches(database: Database): Caches {
  return { former: new FormerViews(database), overlays: new Overlays() };
}
