/** The renames and merges that can be undone. */

import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { lookedUp } from '../../../../ui/shared/lost-answer.ts';
import { Empty, ErrorNote, Loading, sentenceOf } from '../../../../ui/shared/notes.tsx';
import { written } from '../../../../ui/shared/schema.ts';
import { asClientError, lab } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { RecordLink } from '../../../../ui/shared/tile.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { Moves as Listed } from '../api-types.ts';
import { curate } from '../client.ts';
import { tc } from './texts.ts';

type Move = Listed['items'][number];

/** The rename or merge that can be undone, if it was made. */
export async function moveOf(collection: string, from: string, to: string): Promise<Move | undefined> {
  const { items } = await lab(collection).use(curate).moves();
  return items.find((move) => move.from === from && move.to === to);
}

/** Undoes a rename or merge, and says so. */
export async function undoMove(collection: string, move: Pick<Move, 'id' | 'from' | 'to'>): Promise<void> {
  const { id, from, to } = move;
  await lookedUp<unknown>(
    () => lab(collection).use(curate).undoMove(id),
    async () => ((await moveOf(collection, from, to))?.id === id ? undefined : true),
  );
  afterWrite();
  toast(tc('undone', { from }));
}

/** Says that a record was renamed or merged, with its undo. */
export function sayMoved(collection: string, move: Pick<Move, 'id' | 'from' | 'to'>, words: string): void {
  toast(words, () =>
    undoMove(collection, move).catch((problem) =>
      sayMoved(collection, move, sentenceOf(asClientError(problem))),
    ),
  );
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
