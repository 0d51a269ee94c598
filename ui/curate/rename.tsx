/** Gives a curated record another identifier, after showing which records change with it. */
import { useState } from 'preact/hooks';
import type { ClientError, MoveReport } from '../../src/client/client.ts';
import type { ViewProps } from '../shared/context.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { go, place, urlOf } from '../shared/router.ts';
import { localPart } from '../shared/schema.ts';
import { asClientError, lab } from '../shared/service.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { afterWrite } from '../shared/submit.ts';
import { TextField } from '../shared/text-field.tsx';
import { useTitles } from '../shared/tile.tsx';
import { toast } from '../shared/toast.tsx';
import { ChangedRecords } from './changed-records.tsx';
import { undoMove } from './moves.tsx';
import { tc } from './texts.ts';

export function Rename({ collection }: ViewProps) {
  const from = place.value.query.get('pid') ?? '';
  const title = useTitles(collection, [from])?.get(from)?.title || localPart(from);
  const [to, setTo] = useState(from);
  const [report, setReport] = useState<MoveReport>();
  const [error, setError] = useState<ClientError>();
  const [busy, setBusy] = useState(false);
  const send = async (dryRun: boolean) => {
    setBusy(true);
    setError(undefined);
    try {
      const done = await lab(collection).curation.rename(from, to.trim(), { dryRun });
      if (dryRun) setReport(done);
      else {
        afterWrite();
        toast(tc('renamed', { from: done.from, to: done.to }), () =>
          undoMove(collection, done).catch(() => {}),
        );
        go(urlOf([collection, 'record'], { pid: done.to }));
      }
    } catch (problem) {
      setReport(undefined);
      setError(asClientError(problem));
    } finally {
      setBusy(false);
    }
  };
  const isPreviewed = report?.to === to.trim();
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
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              send(!isPreviewed);
            }}
          >
            <TextField
              id="rename-to"
              label={tc('newPid')}
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
