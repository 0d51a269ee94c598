/** A submission that has left the queue: who decided, and the way on. */

import { useLoad } from '../../../../ui/shared/load.ts';
import { Empty } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { fullTime } from '../../../../ui/shared/time.ts';
import { review } from '../client.ts';
import { DecisionMark, DecisionWords } from './decision-line.tsx';
import { tr } from './texts.ts';

export function Gone({ collection, pid, urlNext }: { collection: string; pid: string; urlNext: string }) {
  const { value: last } = useLoad(`${collection}/${pid}`, async (signal) => {
    const { items } = await lab(collection, signal).use(review).decisions({ pid, size: 1 });
    return items[0] ?? null;
  });
  return (
    <Empty title={tr('review.goneTitle')}>
      {last ? (
        <p class="st wrap">
          <DecisionMark row={last} />
          <span>
            <DecisionWords collection={collection} row={last} /> · {fullTime(last.time)}
          </span>
        </p>
      ) : (
        <p>{tr('review.goneHelp')}</p>
      )}
      <p class="btns">
        <a class="btn primary" href={urlNext}>
          {tr('review.next')} <kbd>N</kbd>
        </a>
        {last?.decision === 'accept' && !last.undone && (
          <a class="btn" href={urlOf([collection, 'record'], { pid })}>
            {tr('review.showRecord')}
          </a>
        )}
      </p>
    </Empty>
  );
}
