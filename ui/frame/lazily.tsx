/** Components of modules that are fetched when they are first shown. */
import type { ComponentType } from 'preact';
import { isAway } from '../shared/connection.ts';
import { useFetched } from '../shared/fetched.ts';
import { t } from '../texts/texts.ts';

/** A component that is nothing until it is fetched, and a button that tries again if it cannot be. */
export function lazily<Props extends object>(
  name: string,
  fetchView: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function Lazily(props: Props) {
    const { part: View, error, reload } = useFetched(name, fetchView);
    if (View) return <View {...props} />;
    // The bar says that the service is away.
    if (!error || isAway(error.status)) return null;
    return (
      <span role="alert">
        {t('error.part')}{' '}
        <button type="button" class="linkish" onClick={reload}>
          {t('action.retry')}
        </button>
      </span>
    );
  };
}
