/** What a curator changed while accepting: slot by slot, submitted and stored. */
import type { SubmissionDifference } from '../../src/client/client.ts';
import { t } from '../texts/texts.ts';
import { textOf } from './difference.tsx';
import { pathWords } from './history.tsx';
import { Added, Marked, Removed } from './marks.tsx';

const SHOWN = 5;

export function ChangedByCurator({ differences }: { differences: readonly SubmissionDifference[] }) {
  return (
    <>
      {t('submissions.changedByCurator', { n: differences.length })}{' '}
      {differences.slice(0, SHOWN).map(({ path, submitted, curated }) => {
        const before = textOf(submitted, undefined);
        const after = textOf(curated, undefined);
        return (
          <span key={path} class="delta-item">
            {pathWords(path, undefined)}{' '}
            {before === '' ? (
              <Added text={after} />
            ) : after === '' ? (
              <Removed text={before} />
            ) : (
              <Marked before={before} after={after} />
            )}{' '}
          </span>
        );
      })}
    </>
  );
}
