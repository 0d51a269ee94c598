/** Below the inbox: whether it is sent by mail, too, and the URL of its feed. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { SecretOnce } from '../../../../ui/shared/secret-once.tsx';
import { SelectField } from '../../../../ui/shared/select-field.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { language } from '../../../../ui/texts/texts.ts';
import type { InboxMail } from '../api-types.ts';
import { notify } from '../client.ts';
import { tn } from './texts.ts';

const MODES = ['none', 'at_once', 'daily'] as const;
type Mode = (typeof MODES)[number];

export function Elsewhere({ collection }: { collection: string }) {
  const { value, error, reload } = useLoad(`${collection}/mail`, (signal) =>
    lab(collection, signal).use(notify).mail(),
  );
  if (!value) return error ? <ErrorNote error={error} retry={reload} /> : null;
  return (
    <>
      <section class="form" aria-labelledby="inbox-mail">
        <h2 id="inbox-mail">{tn('mail')}</h2>
        {value.possible ? (
          <MailForm collection={collection} mail={value} reload={reload} />
        ) : (
          <p class="muted">{tn('noMail')}</p>
        )}
      </section>
      <Feed collection={collection} exists={value.feed} reload={reload} />
    </>
  );
}

type FormProps = { collection: string; mail: InboxMail; reload: () => void };

function MailForm({ collection, mail, reload }: FormProps) {
  const [mode, setMode] = useState<Mode>(mail.mode);
  const [address, setAddress] = useState(mail.address ?? mail.proposed ?? '');
  const [isStored, setStored] = useState(false);
  const { busy, error, run } = useAction(async (asksAgain: boolean) => {
    setStored(false);
    const isSame = address === mail.address && mail.refused === null && !asksAgain;
    await lab(collection)
      .use(notify)
      .setMail({
        mode,
        language: language.peek() === 'de' ? 'de' : 'en',
        ...(address !== '' && !isSame && { address }),
      });
    setStored(true);
    reload();
  });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void run(false);
      }}
    >
      <SelectField
        id="inbox-mode"
        label={tn('when')}
        value={mode}
        onChoose={(chosen) => setMode(MODES.find((one) => one === chosen) ?? 'none')}
      >
        {MODES.map((one) => (
          <option key={one} value={one}>
            {tn(one === 'none' ? 'without' : one)}
          </option>
        ))}
      </SelectField>
      {mode !== 'none' && (
        <TextField
          id="inbox-address"
          type="email"
          label={tn('address')}
          help={tn('addressHelp')}
          value={address}
          onText={setAddress}
          required
        />
      )}
      {error && <ErrorNote error={error} />}
      <p role="status">
        {isStored && `${tn('stored')} `}
        {mail.mode !== 'none' && <bdi>{stateOf(mail)}</bdi>}
      </p>
      <div class="btns">
        <button type="submit" class="btn primary" disabled={busy}>
          {tn('store')}
        </button>
        {mail.mode !== 'none' && !mail.confirmed && mail.refused === null && (
          <button type="button" class="btn" disabled={busy} onClick={() => run(true)}>
            {tn('sendAgain')}
          </button>
        )}
      </div>
    </form>
  );
}

function stateOf({ address, confirmed, refused }: InboxMail): string {
  const values = { address: address ?? '' };
  if (refused !== null) return tn('refused', { ...values, reason: refused });
  return tn(confirmed ? 'confirmed' : 'notConfirmed', values);
}

type FeedProps = { collection: string; exists: boolean; reload: () => void };

function Feed({ collection, exists, reload }: FeedProps) {
  const [url, setUrl] = useState<string>();
  const client = () => lab(collection).use(notify);
  const making = useAction(async () => setUrl(await client().makeFeed()));
  const ending = useAction(async () => {
    await client().endFeed();
    setUrl(undefined);
    reload();
  });
  const failed = making.error ?? ending.error;
  return (
    <section class="form" aria-labelledby="inbox-feed">
      <h2 id="inbox-feed">{tn('feed')}</h2>
      <p class="muted">{tn('feedHelp')}</p>
      {failed && <ErrorNote error={failed} />}
      {url !== undefined ? (
        <SecretOnce
          title={tn('feedMade')}
          secret={url}
          onDone={() => {
            setUrl(undefined);
            reload();
          }}
        />
      ) : (
        <div class="btns">
          <button type="button" class="btn" disabled={making.busy} onClick={() => making.run()}>
            {tn(exists ? 'makeAnother' : 'makeFeed')}
          </button>
          {exists && (
            <button type="button" class="btn" disabled={ending.busy} onClick={() => ending.run()}>
              {tn('endFeed')}
            </button>
          )}
        </div>
      )}
    </section>
  );
}
