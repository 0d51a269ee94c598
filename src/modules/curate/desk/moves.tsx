/** The renames and merges that can be undone. */

import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Empty, ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { RecordLink } from '../../../../ui/shared/tile.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { Moves as Listed } from '../api-types.ts';
import { curate } from '../client.ts';
import { tc } from './texts.ts';

type Move = Listed['items'][number];

/** Undoes a rename or merge, and says so. */
export async function undoMove(collection: string, { id, from }: Pick<Move, 'id' | 'from'>): Promise<void> {
  await lab(collection).use(curate).undoMove(id);
  afterWrite();
  toast(tc('undone', { from }));
}

export function Moves({ collection }: ViewProps) {
  const undo = useAction((move: Move) => undoMove(collection, move));
  const { value, error, reload } = useLoad(`${collection}/${written.value}`, (signal) =>
    lab(collection, signal).use(curate).moves(),
  );
  if (error || !value) return <Loading error={error} retry={reload} />;
  if (value.items.length === 0)
    return (
      <Empty title={tc('movesNone')}>
        <p>{tc('movesNoneHelp')}</p>
      </Empty>
    );
  return (
    <>
      {undo.error && <ErrorNote error={undo.error} />}
      <ul class="list">
        {value.items.map((move) => (
          <li class="line" key={move.id}>
            <div class="stack-s">
              <span>
                {tc(move.kind)}: <bdi class="mono">{move.from}</bdi> →{' '}
                <RecordLink collection={collection} pid={move.to} />
              </span>
              <span class="faint small">
                {fullTime(move.time)} · {move.by} · {tc('links', { n: move.records })}
              </span>
            </div>
            <button
              type="button"
              class="btn"
              aria-label={`${t('action.undo')}: ${tc(move.kind)} ${move.from}`}
              disabled={undo.busy}
              onClick={() => undo.run(move)}
            >
              {t('action.undo')}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
