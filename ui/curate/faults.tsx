/** Stored records that do not fit the schema of today, and the form that mends them. */
import { curate } from '../../src/modules/curate/client.ts';
import type { ViewProps } from '../shared/context.ts';
import { useLoad } from '../shared/load.ts';
import { Empty, Loading } from '../shared/notes.tsx';
import { written } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { MendTable } from './mend-table.tsx';
import { tc } from './texts.ts';

const MOST = 1000;

export function Faults({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(`${collection}/${written.value}`, (signal) =>
    lab(collection, signal).use(curate).faults(MOST),
  );
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
          detail: record.problems.map(({ msg }, index) => <p key={index}>{msg}</p>),
        }))}
      />
      {value.items.length < value.total && (
        <p class="muted">{tc('of', { n: value.items.length, total: value.total })}</p>
      )}
    </>
  );
}
