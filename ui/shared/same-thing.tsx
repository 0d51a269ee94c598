/** Warns of curated records with the same identifier, before a record is submitted or accepted. */
import { Icon } from './icons.tsx';
import { urlOf } from './router.ts';
import { localPart, type Title } from './schema.ts';

export function SameThing(props: {
  collection: string;
  title: string;
  pid: string;
  /** Curated records with the same identifier or unique key. */
  others: readonly string[];
  titles: ReadonlyMap<string, Title | null> | undefined;
}) {
  const { collection, title, pid, others, titles } = props;
  const found = others.filter((one) => one !== pid);
  if (found.length === 0) return null;
  return (
    <div class="note st-diverged" role="note">
      <Icon name="warning" />
      <div>
        <p class="strong">{title}</p>
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
