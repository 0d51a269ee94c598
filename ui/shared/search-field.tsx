/** The field that searches in a list: what is typed is in the URL a moment later, as `q`. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { useKeys } from './keys.ts';
import { useDebounced } from './load.ts';
import { go, place, withQuery } from './router.ts';

export function SearchField({ label }: { label: string }) {
  const wanted = place.value.query.get('q') ?? '';
  const [text, setText] = useState(wanted);
  const settled = useDebounced(text);
  const sent = useRef(wanted);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (settled === sent.current) return;
    sent.current = settled;
    go(withQuery({ q: settled, preview: null }), { replace: true });
  }, [settled]);
  useEffect(() => {
    if (wanted === sent.current) return;
    // Another place was gone to, or the filters were cleared.
    sent.current = wanted;
    setText(wanted);
  }, [wanted]);
  useKeys({ '/': () => field.current?.focus() });
  return (
    <label class="find">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </label>
  );
}
