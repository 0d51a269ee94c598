/** Sources of dry runs, which the service reads. */
import { type Case, type Cases, importing } from '../../../test/support/sources.ts';

/** In a dry run of another schema. */
export const rehearsing =
  (changes: (source: string) => readonly object[]): Case =>
  async (source, { send }) => {
    for (const change of changes(source)) await send('POST', '/-/c/rehearse', change);
  };

export const cases: Cases = {
  'POST /-/{collection}/rehearse schema': rehearsing((source) => [{ schema: importing(source) }]),
  'POST /-/{collection}/rehearse address': rehearsing((address) => [{ address }]),
};
