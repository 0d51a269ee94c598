/** Gives a curated record another identifier, after showing which records change with it. */

import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useKept } from '../../../../ui/shared/kept.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { lookedUp } from '../../../../ui/shared/lost-answer.ts';
import { NoRecord } from '../../../../ui/shared/no-record.tsx';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { readMany } from '../../../../ui/shared/records.ts';
import { go, place, urlOf } from '../../../../ui/shared/router.ts';
import { localPart, written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { useTitles } from '../../../../ui/shared/tile.tsx';
import type { MoveReport } from '../api-types.ts';
import { curate } from '../client.ts';
import { ChangedRecords } from './changed-records.tsx';
import { moveOf, sayMoved } from './moves.tsx';
import { tc } from './texts.ts';

export function Rename({ collection }: ViewProps) {
  const from = place.value.query.get('pid') ?? '';
  return <RenameOne key={from} collection={collection} from={from} />;
}

function RenameOne({ collection, from }: ViewProps & { from: string }) {
  const title = useTitles(collection, [from])?.get(from)?.title || localPart(from);
  const stored = useLoad(
    `${collection}/${from}`,
    (signal) => readMany(collection, from === '' ? [] : [from], { curated: true, signal }),
    written.value,
  );
  const isMissing = stored.value !== undefined && !stored.value.has(from);
  const [to, setTo, forget] = useKept<string>(`rename/${collection}/${from}`, from);
  const [report, setReport] = useState<MoveReport>();
  const isPreviewed = report?.to === to.trim();
  const { busy, error, run } = useAction(async (event: Event) => {
    event.preventDefault();
    // After a refusal, the records are shown again first.
    setReport(undefined);
    const pid = to.trim();
    const rename = () => lab(collection).use(curate).rename(from, pid, { dryRun: !isPreviewed });
    if (!isPreviewed) return setReport(await rename());
    const done = await lookedUp(rename, () => moveOf(collection, from, pid));
    forget();
    afterWrite();
    sayMoved(collection, done, tc('renamed', { from: done.from, to: done.to }));
    go(urlOf([collection, 'record'], { pid: done.to }));
  });
  return (
    <Sheets>
      <MainSheet
        title={tc('renameTitle', { title })}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          { text: title, href: urlOf([collection, 'record'], { pid: from }) },
        ]}
      >
        <div class="page">
          {stored.error && <ErrorNote error={stored.error} retry={stored.reload} />}
          {isMissing ? (
            <NoRecord collection={collection} pid={from} />
          ) : (
            <form class="form" onSubmit={run}>
              <TextField
                id="rename-to"
                label={tc('newPid')}
                help={tc('newPidHelp')}
                mono
                value={to}
                autocomplete="off"
                onText={setTo}
              />
              {error && <ErrorNote error={error} />}
              {isPreviewed && report && <ChangedRecords collection={collection} report={report} />}
              <p class="btns">
                <button
                  type="submit"
                  class="btn primary"
                  disabled={busy || to.trim() === '' || to.trim() === from}
                >
                  {isPreviewed ? tc('rename') : tc('preview')}
                </button>
              </p>
            </form>
          )}
        </div>
      </MainSheet>
    </Sheets>
  );
}
