/** Invitations of persons to a collection: links that are shown once, and what became of them. */
import { useState } from 'preact/hooks';
import { modeWords, ta } from '../../../../ui/admin/texts.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { DeleteElement } from '../../../../ui/shared/delete-element.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad, useRepeated } from '../../../../ui/shared/load.ts';
import { Empty, Loading } from '../../../../ui/shared/notes.tsx';
import { SecretOnce } from '../../../../ui/shared/secret-once.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { StateMark, type StateName } from '../../../../ui/shared/state.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { type Invitation, invitations } from '../client.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { linkOf } from './link.ts';
import { ti } from './texts.ts';

const MARKS: Readonly<Record<Invitation['state'], StateName>> = {
  open: 'waiting',
  accepted: 'accepted',
  revoked: 'withdrawn',
  expired: 'removed',
};

export function Invitations({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, (signal) =>
    lab(collection, signal).use(invitations).list(),
  );
  useRepeated(reload);
  const [inviting, setInviting] = useState(false);
  const [revoking, setRevoking] = useState<Invitation>();
  const [made, setMade] = useState<{ person: string; secret: string }>();
  return (
    <>
      <div class="head">
        <p class="muted">{ti('lead')}</p>
        <span class="push" />
        <button type="button" class="btn" onClick={() => setInviting(true)}>
          <Icon name="plus" />
          {ti('add')}
        </button>
      </div>
      {made && (
        <div class="card">
          <SecretOnce
            title={ti('link', { name: made.person })}
            secret={linkOf({ collection, secret: made.secret })}
            onDone={() => setMade(undefined)}
          />
        </div>
      )}
      {(error || !value) && <Loading error={error} retry={reload} />}
      {value?.length === 0 && <Empty title={ti('none')} />}
      {value && value.length > 0 && (
        <ul class="list" aria-label={ti('title')}>
          {value.map((invitation) => (
            <Row key={invitation.id} invitation={invitation} onRevoke={() => setRevoking(invitation)} />
          ))}
        </ul>
      )}
      {inviting && (
        <InviteDialog
          collection={collection}
          onInvited={({ user_id: person, secret }) => {
            setMade({ person, secret });
            setInviting(false);
            reload();
          }}
          onClose={() => setInviting(false)}
        />
      )}
      {revoking && (
        <DeleteElement
          words={{
            title: ti('revokeTitle', { name: revoking.user_id }),
            help: ti('revokeHelp'),
            done: ti('revokeDone', { name: revoking.user_id }),
            confirm: ti('revoke'),
          }}
          remove={() => lab(collection).use(invitations).revoke(revoking.id)}
          onDone={reload}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

function Row({ invitation, onRevoke }: { invitation: Invitation; onRevoke: () => void }) {
  const { name, user_id: person, mode, incoming_label: label, state, until, by, created, ended } = invitation;
  const zone = label === '' ? '' : ` (${ta('inZone', { label })})`;
  return (
    <li class="line">
      <div class="stack-s">
        <span>
          <b class="strong">
            <bdi>{person}</bdi>
          </b>{' '}
          {modeWords(mode)}
          {zone}
        </span>
        <span class="faint small">
          <span class={`st st-${MARKS[state]}`}>
            <StateMark name={MARKS[state]} />
            {ti(`${state}`)}
          </span>
          {' · '}
          {state === 'open' ? ti('openUntil', { time: fullTime(until) }) : fullTime(ended ?? until)}
          {' · '}
          {ti('by', { name: by, time: fullTime(created), token: name })}
        </span>
      </div>
      {state === 'open' && (
        <button type="button" class="btn small" aria-label={`${ti('revoke')}: ${person}`} onClick={onRevoke}>
          {ti('revoke')}
        </button>
      )}
    </li>
  );
}
