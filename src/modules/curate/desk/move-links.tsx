/** Beside a curated record, the links that rename it and merge it with another one. */
import type { PanelProps } from '../../../../ui/module.ts';
import { urlOf } from '../../../../ui/shared/router.ts';
import { may } from '../../../../ui/shared/session.ts';
import { t } from '../../../../ui/texts/texts.ts';
import { tc } from './texts.ts';

export function MoveLinks({ collection, of: pid }: PanelProps) {
  if (!may(collection, 'curate')) return null;
  return (
    <section>
      <h2>{t('rail.stewardship')}</h2>
      <p class="btns">
        <a class="btn small" href={urlOf([collection, 'rename'], { pid })}>
          {tc('renameRecord')}
        </a>
        <a class="btn small" href={urlOf([collection, 'merge'], { keep: pid })}>
          {tc('mergeRecord')}
        </a>
      </p>
    </section>
  );
}
