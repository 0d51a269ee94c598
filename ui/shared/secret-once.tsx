/** A secret that the service shows once: it is copied now, or never. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Copy } from './copy.tsx';
import { guard } from './router.ts';
import { StateMark } from './state.tsx';

export function SecretOnce(props: { title: string; secret: string; onDone: () => void }) {
  const { title, secret, onDone } = props;
  const [copied, setCopied] = useState(false);
  const done = () => {
    guard.ask = undefined;
    onDone();
  };
  useEffect(() => {
    if (copied) return undefined;
    guard.ask = () => confirm(t('tokens.leave'));
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      guard.ask = undefined;
      removeEventListener('beforeunload', warn);
    };
  }, [copied]);
  return (
    <div class="note st-new new-token" role="status">
      <StateMark name="accepted" />
      <div>
        <p>
          <b class="strong">{title}</b> {t('tokens.copyNow')}
        </p>
        <p class="secret">
          <span class="mono" data-secret>
            {secret}
          </span>
          <Copy big text={secret} label={t('action.copy')} onCopied={() => setCopied(true)} />
        </p>
        <p>
          <button type="button" class="linkish" onClick={done}>
            {t('tokens.done')}
          </button>
        </p>
      </div>
    </div>
  );
}
