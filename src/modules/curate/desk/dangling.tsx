/** References that lead to no record, and the form that mends them. */

import type { ViewProps } from '../../../../ui/shared/context.ts';
import { SlotName } from '../../../../ui/shared/links-back.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Empty, Loading } from '../../../../ui/shared/notes.tsx';
import { written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { curate } from '../client.ts';
import { MendTable } from './mend-table.tsx';
import { tc } from './texts.ts';

const MOST = 1000;

export function Dangling({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(`${collection}/${written.value}`, (signal) =>
    lab(collection, signal).use(curate).dangling(MOST),
  );
  if (error || !value) return <Loading error={error} retry={reload} />;
  if (value.items.length === 0) return <Empty title={tc('danglingNone')} mark="accepted" />;
  return (
    <>
      <p class="lead-text muted">{tc('danglingHelp')}</p>
      <MendTable
        collection={collection}
        caption={tc('dangling')}
        rows={value.items.map((record) => ({
          record,
          detail: (
            <>
              <SlotName collection={collection} slot={record.slot} of={record.class} />:{' '}
              <bdi class="mono">{record.to}</bdi>
            </>
          ),
        }))}
      />
      {value.more && <p class="muted">{tc('danglingMore')}</p>}
    </>
  );
}
