/** What a person has: tokens for scripts, and sessions. */
import { useState } from 'preact/hooks';
import { ModeOptions } from '../../../../ui/admin/mode-options.tsx';
import { modeWords } from '../../../../ui/admin/texts.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import { DeleteElement } from '../../../../ui/shared/delete-element.tsx';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Empty, Loading } from '../../../../ui/shared/notes.tsx';
import { usePerson } from '../../../../ui/shared/people.ts';
import { signInUrl } from '../../../../ui/shared/router.ts';
import { SecretOnce } from '../../../../ui/shared/secret-once.tsx';
import { SelectField } from '../../../../ui/shared/select-field.tsx';
import { service } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { fullTime, shortTime } from '../../../../ui/shared/time.ts';
import { t } from '../../../../ui/texts/texts.ts';
import { type NewPersonalToken, type PersonalToken, type PersonalTokenRequest, signIn } from '../client.ts';
import { ts } from './texts.ts';

export function MyTokens() {
  // To a token that is not a session, the service would respond as to one that has ended.
  const isSession = usePerson() !== undefined;
  const key = isSession ? `my tokens ${session.token.value}` : undefined;
  const { value, error, reload } = useLoad(key, async (signal) => {
    const client = service({ signal }).use(signIn);
    const [tokens, { sessions, person }] = await Promise.all([client.tokens(), client.sessions()]);
    return { tokens, sessions, person };
  });
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<NewPersonalToken>();
  const [ending, setEnding] = useState<PersonalToken>();
  const isPerson = isSession && error?.code !== 'session_required';
  return (
    <Sheets>
      <MainSheet title={ts('tokens.title')}>
        <div class="page">
          {!isPerson && (
            <Empty title={ts('tokens.notSignedIn')}>
              <p class="btns">
                <a class="btn" href={signInUrl()}>
                  {t('signIn.action')}
                </a>
              </p>
            </Empty>
          )}
          {isPerson && !value && <Loading error={error} retry={reload} />}
          {value && (
            <>
              <div class="head first">
                <p class="muted">{ts('tokens.lead')}</p>
                <span class="push" />
                <button type="button" class="btn" onClick={() => setAdding(true)}>
                  <Icon name="plus" />
                  {ts('tokens.add')}
                </button>
              </div>
              {made && (
                <div class="card">
                  <SecretOnce
                    title={ts('tokens.created', { name: made.name })}
                    secret={made.representation}
                    onDone={() => setMade(undefined)}
                  />
                </div>
              )}
              {value.tokens.length === 0 && <Empty title={ts('tokens.none')} />}
              {value.tokens.length > 0 && (
                <ul class="list" aria-label={ts('tokens.title')}>
                  {value.tokens.map((token) => (
                    <TokenLine key={token.id} token={token} onEnd={() => setEnding(token)} />
                  ))}
                </ul>
              )}
              <div class="head">
                <h2>{ts('tokens.sessions')}</h2>
              </div>
              <ul class="list" aria-label={ts('tokens.sessions')}>
                {value.sessions.map((one) => (
                  <SessionLine key={one.id} session={one} onEnded={reload} />
                ))}
              </ul>
            </>
          )}
        </div>
      </MainSheet>
      {isAdding && (
        <NewToken
          onMade={(token) => {
            setMade(token);
            setAdding(false);
            reload();
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {ending && (
        <DeleteElement
          words={{
            title: ts('tokens.endTitle', { name: ending.name }),
            help: ts('tokens.endHelp'),
            done: ts('tokens.endDone', { name: ending.name }),
            confirm: ts('tokens.end'),
          }}
          remove={() => service().use(signIn).endToken(ending.id)}
          onDone={reload}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Sheets>
  );
}

function TokenLine({ token, onEnd }: { token: PersonalToken; onEnd: () => void }) {
  const { name, collections, used, ends } = token;
  const limits = Object.entries(collections ?? {}).map(([one, mode]) => `${one}: ${modeWords(mode)}`);
  return (
    <li class="line">
      <div class="stack-s">
        <span>
          <b class="strong">
            <bdi>{name}</bdi>
          </b>{' '}
          {collections === null ? ts('tokens.all') : limits.join('; ')}
        </span>
        <span class="faint small">
          {used === null ? ts('tokens.unused') : ts('tokens.used', { time: shortTime(used) })}
          {' · '}
          {ts('tokens.ends', { time: fullTime(ends) })}
        </span>
      </div>
      <button type="button" class="btn small" aria-label={`${ts('tokens.end')}: ${name}`} onClick={onEnd}>
        {ts('tokens.end')}
      </button>
    </li>
  );
}

type SessionItem = {
  readonly id: number;
  readonly created: string;
  readonly used: string;
  readonly current?: boolean;
};

function SessionLine({ session: one, onEnded }: { session: SessionItem; onEnded: () => void }) {
  const { busy, run } = useAction(async () => {
    await service().use(signIn).endSession(one.id);
    onEnded();
  });
  const since = ts('tokens.sessionSince', { time: fullTime(one.created), used: shortTime(one.used) });
  return (
    <li class="line">
      <span>
        {one.current && <b class="strong">{ts('tokens.sessionCurrent')} </b>}
        <span class="muted">{since}</span>
      </span>
      {!one.current && (
        <button
          type="button"
          class="btn small"
          disabled={busy}
          aria-label={`${ts('tokens.end')}: ${since}`}
          onClick={run}
        >
          {ts('tokens.end')}
        </button>
      )}
    </li>
  );
}

const ALL = '';
type Mode = NonNullable<PersonalTokenRequest['collections']>[string];

function NewToken({ onMade, onClose }: { onMade: (token: NewPersonalToken) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [at, setAt] = useState(ALL);
  const [mode, setMode] = useState<string>('READ_CURATED');
  const { busy, error, run } = useAction(async () => {
    const collections = at === ALL ? null : { [at]: mode as Mode };
    onMade(
      await service()
        .use(signIn)
        .makeToken({ name: name.trim(), collections, days: Number(days) }),
    );
  });
  const problemIn = (key: string) => error?.problems.find(({ loc }) => loc.includes(key))?.msg;
  const isShown = problemIn('name') !== undefined || problemIn('days') !== undefined;
  return (
    <Dialog
      busy={busy}
      error={isShown ? undefined : error}
      title={ts('tokens.addTitle')}
      confirm={ts('tokens.confirm')}
      onConfirm={run}
      onClose={onClose}
    >
      <TextField
        first
        id="token-name"
        label={ts('tokens.name')}
        help={ts('tokens.name_help')}
        problem={problemIn('name')}
        maxLength={100}
        value={name}
        onText={setName}
      />
      <SelectField id="token-at" label={ts('tokens.at')} value={at} onChoose={setAt}>
        <option value={ALL}>{ts('tokens.all')}</option>
        {Object.keys(session.me.value?.collections ?? {}).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </SelectField>
      {at !== ALL && (
        <SelectField id="token-mode" label={ts('tokens.mode')} value={mode} onChoose={setMode}>
          <ModeOptions />
        </SelectField>
      )}
      <TextField
        id="token-days"
        label={ts('tokens.days')}
        help={ts('tokens.days_help')}
        problem={problemIn('days')}
        maxLength={3}
        value={days}
        onText={setDays}
      />
    </Dialog>
  );
}
