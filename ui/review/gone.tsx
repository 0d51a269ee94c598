/** A submission that has left the queue: who decided, and the way on. */
import { review } from '../../src/modules/review/client.ts';
import { DecisionMark, decisionWords } from '../shared/decision-line.tsx';
import { useLoad } from '../shared/load.ts';
import { Empty } from '../shared/notes.tsx';
import { urlOf } from '../shared/router.ts';
import { lab } from '../shared/service.ts';
import { fullTime } from '../shared/time.ts';
import { t } from '../texts/texts.ts';

export function Gone({ collection, pid, urlNext }: { collection: string; pid: string; urlNext: string }) {
  const { value: last } = useLoad(`${collection}/${pid}`, async (signal) => {
    const { items } = await lab(collection, signal).use(review).decisions({ pid, size: 1 });
    return items[0] ?? null;
  });
  return (
    <Empty title={t('review.goneTitle')}>
      {last ? (
        <p class="st wrap">
          <DecisionMark row={last} />
          <span>
            {decisionWords(last)} · {fullTime(last.time)}
          </span>
        </p>
      ) : (
        <p>{t('review.goneHelp')}</p>
      )}
      <p class="btns">
        <a class="btn primary" href={urlNext}>
          {t('review.next')} <kbd>N</kbd>
        </a>
        {last?.decision === 'accept' && !last.undone && (
          <a class="btn" href={urlOf([collection, 'record'], { pid })}>
            {t('review.showRecord')}
          </a>
        )}
      </p>
    </Empty>
  );
}
