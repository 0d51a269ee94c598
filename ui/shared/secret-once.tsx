/** A secret that the service shows once: it is copied now, or never. */
import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Copy } from './copy.tsx';
import { useGuard } from './guard.ts';
import { StateMark } from './state.tsx';

export function SecretOnce(props: { title: string; secret: string; onDone: () => void }) {
  const { title, secret, onDone } = props;
  const [copied, setCopied] = useState(false);
  const [isStored, setStored] = useState(false);
  useGuard(!copied && !isStored, t('tokens.leave'));
  // Behind the guard: what is done may leave the view.
  useEffect(() => {
    if (isStored) onDone();
  }, [isStored]);
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
          <button type="button" class="linkish" onClick={() => setStored(true)}>
            {t('tokens.done')}
          </button>
        </p>
      </div>
    </div>
  );
}
