/** `accession release` and `releases`: named states of the curated area. */
import { complain, PROBLEMS_FOUND } from '../outcome.ts';
import { counted, printFound, printValue, write } from '../print.ts';
import { startProgress } from '../progress.ts';
import { serviceOf } from './target.ts';

type Options = { readonly url?: string; readonly notes?: string; readonly json?: boolean };

/** Names the present state of the curated area, and waits until its files are made. */
export async function release(
  collection: string,
  name: string,
  { url, notes, json }: Options,
): Promise<number> {
  using progress = startProgress('steps');
  let shown = 0;
  const made = await serviceOf(url)
    .collection(collection)
    .makeRelease(name, {
      notes,
      progress({ progress: state }) {
        progress.advance((state?.done ?? shown) - shown);
        shown = state?.done ?? shown;
      },
    });
  const { state, reason, records, revision, size, digest } = made;
  if (json) await printValue(made, true);
  if (state === 'failed') {
    complain(`The release ${name} was not made. ${reason}`);
    return PROBLEMS_FOUND;
  }
  if (!json)
    await write(
      `${name}: ${counted(records ?? 0, 'record')} of revision ${revision}, ${counted(size ?? 0, 'byte')}, SHA-256 ${digest}\n`,
    );
  return 0;
}

/** Lists the releases. */
export async function releases(collection: string, { url, json }: Options): Promise<number> {
  const found = await serviceOf(url).collection(collection).releases();
  await printFound(found, ['name', 'state', 'time', 'revision', 'records', 'size', 'notes'], json);
  return 0;
}
