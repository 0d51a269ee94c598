/** `accession curate release`: named states of the curated area. */
import { serviceOf } from '../../cli/client/target.ts';
import { complain, PROBLEMS_FOUND } from '../../cli/outcome.ts';
import { countText, printFound, printValue, write } from '../../cli/print.ts';
import { startProgress } from '../../cli/progress.ts';
import { releases } from './client.ts';

type Options = {
  readonly url?: string;
  readonly notes?: string;
  readonly withdraw?: string;
  readonly json?: boolean;
};

/** Lists the releases; with a name, names the present state of the curated area, and waits until its files are made, or withdraws one. */
export async function release(
  collectionName: string,
  name: string | undefined,
  { url, notes, withdraw, json }: Options,
): Promise<number> {
  const client = serviceOf(url).collection(collectionName).use(releases);
  if (name === undefined) {
    const columns = ['name', 'state', 'time', 'revision', 'records', 'size', 'notes'];
    await printFound(await client.list(), columns, json);
    return 0;
  }
  if (withdraw !== undefined) {
    const withdrawn = await client.withdraw(name, withdraw);
    if (json) await printValue(withdrawn ?? {}, true);
    else await write(withdrawn ? `${name}: withdrawn, SHA-256 ${withdrawn.digest}\n` : `${name}: removed\n`);
    return 0;
  }
  using progress = startProgress('steps');
  let shown = 0;
  const made = await client.create(name, {
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
      `${name}: ${countText(records ?? 0, 'record')} of revision ${revision}, ${countText(size ?? 0, 'byte')}, SHA-256 ${digest}\n`,
    );
  return 0;
}
