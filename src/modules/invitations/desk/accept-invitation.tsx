/**
 * Accepts an invitation. Someone who signs in with an identity gets what it offers as that identity; others exchange its secret, from the
 * fragment of the link, for a token that is shown once.
 */
import { useContext, useState } from 'preact/hooks';
import { modeWords } from '../../../../ui/admin/texts.ts';
import { NotFound } from '../../../../ui/home/not-found.tsx';
import { useAction } from '../../../../ui/shared/action.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { People, type PeopleParts, usePerson } from '../../../../ui/shared/people.ts';
import { go, urlOf } from '../../../../ui/shared/router.ts';
import { forget } from '../../../../ui/shared/schema.ts';
import { SecretOnce } from '../../../../ui/shared/secret-once.tsx';
import { service } from '../../../../ui/shared/service.ts';
import { session, setToken } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { type Invitation, invitations } from '../client.ts';
import { ACCEPT, type InvitationLink, keepLink, takeLink } from './link.ts';
import { ti } from './texts.ts';

/** The page of the link. Without an invitation in its address, nothing is there. */
export function AcceptInvitation() {
  const [linked] = useState(takeLink);
  if (!linked) return <NotFound />;
  return (
    <Sheets>
      <MainSheet title={ti('acceptTitle')}>
        <div class="page">
          <Offer {...linked} />
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** What the invitation offers, before anything is accepted. */
function Offer(link: InvitationLink) {
  const { collection, secret } = link;
  const person = usePerson();
  const { value, error, reload } = useLoad(secret, (signal) =>
    service({ token: secret, signal }).collection(collection).use(invitations).open(),
  );
  if (error?.status === 401)
    return (
      <p class="note st-rejected" role="alert">
        {ti('acceptRefused')}
      </p>
    );
  if (!value) return <Loading error={error} retry={reload} />;
  return (
    <>
      <OfferText collection={collection} offer={value} />
      {person ? <AcceptAsPerson person={person} {...link} /> : <AcceptAsGuest {...link} />}
    </>
  );
}

function OfferText({ collection, offer }: { collection: string; offer: Invitation }) {
  const { by, mode, until, expires } = offer;
  return (
    <div class="form sign-in">
      <p>{ti('acceptHelp', { name: collection })}</p>
      <dl class="slots tight">
        <div>
          <dt>{ti('offerBy')}</dt>
          <dd>
            <bdi>{by}</bdi>
          </dd>
        </div>
        <div>
          <dt>{ti('offerMode')}</dt>
          <dd>{modeWords(mode)}</dd>
        </div>
        <div>
          <dt>{ti('offerUntil')}</dt>
          <dd>{fullTime(until)}</dd>
        </div>
        {expires && (
          <div>
            <dt>{ti('offerExpires')}</dt>
            <dd>{fullTime(expires)}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

function AcceptAsPerson({ person, collection, secret }: InvitationLink & { person: PeopleParts }) {
  const { busy, error, run } = useAction(async () => {
    await person.accept(collection, secret);
    forget();
    // What the session permits is read again.
    session.me.value = await service().me();
    go(urlOf([collection, 'browse']), { replace: true });
  });
  return (
    <div class="form sign-in">
      <p class="muted">{ti('acceptAs', { name: session.me.value?.user_id ?? '' })}</p>
      {error && <ErrorNote error={error} />}
      <div class="btns">
        <button type="button" class="btn primary" disabled={busy} onClick={run}>
          {ti('accept')}
        </button>
      </div>
    </div>
  );
}

function AcceptAsGuest({ collection, secret }: InvitationLink) {
  const people = useContext(People);
  const [token, setOwn] = useState<string>();
  // A click accepts, not the visit: programs that look at links in mails would use the invitation up.
  const { busy, error, run } = useAction(async () =>
    setOwn(await service({ token: secret }).collection(collection).use(invitations).accept()),
  );
  const use = () => {
    setToken(token);
    forget();
    go(urlOf([]), { replace: true });
  };
  if (token !== undefined)
    return (
      <div class="card">
        <SecretOnce title={ti('acceptToken', { name: collection })} secret={token} onDone={use} />
      </div>
    );
  return (
    <div class="form sign-in">
      {people && <people.Ways next={urlOf([ACCEPT])} before={() => keepLink({ collection, secret })} />}
      {error?.status === 401 ? (
        <p class="note st-rejected" role="alert">
          {ti('acceptRefused')}
        </p>
      ) : (
        error && <ErrorNote error={error} />
      )}
      <div class="btns">
        <button type="button" class="btn" disabled={busy} onClick={run}>
          {ti('acceptWithToken')}
        </button>
      </div>
    </div>
  );
}
