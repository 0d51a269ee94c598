/** Whether what a dialog has shown is still so; apart from `admin.ts`, which needs a browser. */

import { isEqual, type JsonObject } from '../shared/json.ts';
import type { Collection } from './elements.ts';

/** Whether a collection is still set as it was shown, but for a schema that was chosen since. */
export function isSameSetting(shown: Collection, now: JsonObject, schema: string): boolean {
  const { name: _, ...before } = shown;
  const { name: __, ...after } = now;
  return isEqual(after, before) || isEqual(after, { ...before, schema });
}
