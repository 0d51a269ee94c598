/** Stored records that do not fit the schema of today, and the form that mends them. */

import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Empty, Loading } from '../../../../ui/shared/notes.tsx';
import { problemLine } from '../../../../ui/shared/problem-words.ts';
import { readClass, written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { curate } from '../client.ts';
import { MendTable } from './mend-table.tsx';
import { tc } from './texts.ts';

const MOST = 1000;

export function Faults({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(`${collection}/${written.value}`, (signal) =>
    lab(collection, signal).use(curate).faults(MOST),
  );
  const names = [...new Set(value?.items.map((one) => one.class))];
  // A class that the schema no longer has has no titles.
  const { value: slots } = useLoad(value && `${collection}/${names.join()}`, async () => {
    const found = names.map(async (name) => [name, (await readClass(collection, name)).slots] as const);
    const read = await Promise.allSettled(found);
    return new Map(read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
  });
  if (error || !value) return <Loading error={error} retry={reload} />;
  const pending = value.pending > 0 && <p class="muted">{tc('faultsPending', { n: value.pending })}</p>;
  if (value.total === 0)
    return (
      <>
        <Empty title={tc('faultsNone')} mark="accepted" />
        {pending}
      </>
    );
  return (
    <>
      <p class="lead-text muted">{tc('faultsHelp')}</p>
      {pending}
      <MendTable
        collection={collection}
        caption={tc('faults')}
        rows={value.items.map((record) => ({
          record,
          detail: record.problems.map((problem, index) => (
            <p key={index}>{problemLine(problem, slots?.get(record.class))}</p>
          )),
        }))}
      />
      {value.items.length < value.total && (
        <p class="muted">{tc('of', { n: value.items.length, total: value.total })}</p>
      )}
    </>
  );
}
