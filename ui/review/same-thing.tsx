/** Warns before a submission is accepted that says what another curated record says already. */
import { Icon } from '../shared/icons.tsx';
import { urlOf } from '../shared/router.ts';
import { localPart, type Title } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';

export function SameThing(props: {
  collection: string;
  pid: string;
  /** Curated records with the same identifier or unique key. */
  others: readonly string[];
  titles: ReadonlyMap<string, Title | null> | undefined;
}) {
  const { collection, pid, others, titles } = props;
  const found = others.filter((one) => one !== pid);
  if (found.length === 0) return null;
  return (
    <div class="note st-diverged" role="note">
      <Icon name="warning" />
      <div>
        <p class="strong">{t('review.sameThing')}</p>
        <ul>
          {found.map((one) => (
            <li key={one}>
              <a href={urlOf([collection, 'record'], { pid: one })}>
                <bdi>{titles?.get(one)?.title || localPart(one)}</bdi>
              </a>{' '}
              <bdi class="mono faint">{one}</bdi>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
