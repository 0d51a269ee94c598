/** Gives a curated record another identifier, after showing which records change with it. */

import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useKept } from '../../../../ui/shared/kept.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { go, place, urlOf } from '../../../../ui/shared/router.ts';
import { localPart } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { useTitles } from '../../../../ui/shared/tile.tsx';
import { toast } from '../../../../ui/shared/toast.tsx';
import type { MoveReport } from '../api-types.ts';
import { curate } from '../client.ts';
import { ChangedRecords } from './changed-records.tsx';
import { undoMove } from './moves.tsx';
import { tc } from './texts.ts';

export function Rename({ collection }: ViewProps) {
  const from = place.value.query.get('pid') ?? '';
  return <RenameOne key={from} collection={collection} from={from} />;
}

function RenameOne({ collection, from }: ViewProps & { from: string }) {
  const title = useTitles(collection, [from])?.get(from)?.title || localPart(from);
  const [to, setTo, forget] = useKept<string>(`rename/${collection}/${from}`, from);
  const [report, setReport] = useState<MoveReport>();
  const isPreviewed = report?.to === to.trim();
  const { busy, error, run } = useAction(async (event: Event) => {
    event.preventDefault();
    // After a refusal, the records are shown again first.
    setReport(undefined);
    const done = await lab(collection).use(curate).rename(from, to.trim(), { dryRun: !isPreviewed });
    if (!isPreviewed) return setReport(done);
    forget();
    afterWrite();
    toast(tc('renamed', { from: done.from, to: done.to }), () => undoMove(collection, done).catch(() => {}));
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
        </div>
      </MainSheet>
    </Sheets>
  );
}
