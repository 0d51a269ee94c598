/** Shares the view on the screen: everybody who has its link reads the curated records of the collection until a day. */
import { useState } from 'preact/hooks';
import { ta } from '../../../../ui/admin/texts.ts';
import type { BrowseToolProps } from '../../../../ui/module.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import { dayFromNow } from '../../../../ui/shared/days.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { SHARED, urlOf, urlOfScreen } from '../../../../ui/shared/router.ts';
import { SecretOnce } from '../../../../ui/shared/secret-once.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { calendarDate } from '../../../../ui/shared/time.ts';
import { type MadeSharedLink, share } from '../client.ts';
import { tl } from './texts.ts';

const USUAL_DAYS = 30;

function sharedUrl(secret: string): string {
  const url = urlOfScreen();
  url.hash = new URLSearchParams({ [SHARED]: secret }).toString();
  return url.href;
}

export function ShareDialog({ collection, onClose }: BrowseToolProps) {
  const [title, setTitle] = useState('');
  const [until, setUntil] = useState(dayFromNow(USUAL_DAYS));
  const [made, setMade] = useState<MadeSharedLink>();
  const wanted = { title: title.trim(), ...(until !== '' && { until }) };
  const { busy, error, run } = useAction(async () =>
    setMade(await lab(collection).use(share).create(wanted)),
  );
  const problemIn = (key: keyof typeof wanted) =>
    error && key === 'title' && wanted.title === ''
      ? ta('required')
      : error?.problems.find(({ loc }) => loc.includes(key))?.msg;
  const isAtField = problemIn('title') !== undefined || problemIn('until') !== undefined;
  const name = session.me.value?.collections[collection]?.title ?? collection;
  return (
    <Dialog
      title={tl('dialogTitle')}
      busy={busy}
      error={isAtField ? undefined : error}
      {...(!made && { confirm: tl('confirm') })}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{tl('help', { name })}</p>
      {made ? (
        <SecretOnce
          title={tl('link', { title: made.title, time: calendarDate(made.until) })}
          secret={sharedUrl(made.secret)}
          onDone={onClose}
        />
      ) : (
        <>
          <TextField
            id="share-title"
            label={tl('for')}
            help={tl('for_help')}
            problem={problemIn('title')}
            first
            maxLength={100}
            value={title}
            onText={setTitle}
          />
          <TextField
            id="share-until"
            type="date"
            label={tl('until')}
            help={tl('until_help')}
            problem={problemIn('until')}
            value={until}
            onText={setUntil}
          />
        </>
      )}
      <p class="small">
        <a href={urlOf([collection, 'stewardship', 'shared-links'])} onClick={onClose}>
          {tl('all')}
        </a>
      </p>
    </Dialog>
  );
}
