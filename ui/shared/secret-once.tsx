/** A secret that the service shows once: it is copied now, or never. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Copy } from './copy.tsx';
import { useGuard } from './guard.ts';
import { StateMark } from './state.tsx';

export function SecretOnce(props: { title: string; secret: string; onDone: () => void }) {
  const { title, secret, onDone } = props;
  const [copied, setCopied] = useState(false);
  useGuard(!copied, t('tokens.leave'));
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
          <button type="button" class="linkish" onClick={onDone}>
            {t('tokens.done')}
          </button>
        </p>
      </div>
    </div>
  );
}
