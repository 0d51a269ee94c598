/** A button for each source that people can sign in by. It leads to the source, and back to where the person came from. */
import { useLoad } from '../../../../ui/shared/load.ts';
import { SERVICE } from '../../../../ui/shared/router.ts';
import { service } from '../../../../ui/shared/service.ts';
import { signIn } from '../client.ts';
import { ts } from './texts.ts';

export function Ways({ next, before }: { next: string; before?: () => void }) {
  const { value } = useLoad('sign-in sources', (signal) => service({ signal }).use(signIn).sources());
  if (!value || value.length === 0) return null;
  return (
    <section class="ways" aria-label={ts('ways.label')}>
      <div class="btns">
        {value.map(({ name, title }) => (
          <a key={name} class="btn primary wide" href={hrefOf(name, next)} onClick={before}>
            {ts('ways.with', { title })}
          </a>
        ))}
      </div>
    </section>
  );
}

function hrefOf(source: string, next: string): string {
  const url = new URL(`-/sign-in/${encodeURIComponent(source)}`, SERVICE);
  url.search = new URLSearchParams({ return: next }).toString();
  return url.pathname + url.search;
}
