/** Invitations of persons to a collection: links that are shown once, and what became of them. */
import { useState } from 'preact/hooks';
import type { Invitation } from '../../../client/client.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { DeleteElement } from '../../../../ui/shared/delete-element.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad, useRepeated } from '../../../../ui/shared/load.ts';
import { Empty, Loading } from '../../../../ui/shared/notes.tsx';
import { DESK } from '../../../../ui/shared/router.ts';
import { SecretOnce } from '../../../../ui/shared/secret-once.tsx';
import { service } from '../../../../ui/shared/service.ts';
import { StateMark, type StateName } from '../../../../ui/shared/state.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { modeWords, ta } from '../../../../ui/admin/texts.ts';

const MARKS: Readonly<Record<Invitation['state'], StateName>> = {
  open: 'waiting',
  accepted: 'accepted',
  revoked: 'withdrawn',
  expired: 'removed',
};

/** The link of an invitation. The secret is in the fragment, which browsers send to no server. */
function linkOf(collection: string, secret: string): string {
  const url = new URL('sign-in', DESK);
  url.hash = new URLSearchParams({ collection, invitation: secret }).toString();
  return url.href;
}

export function Invitations({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, (signal) =>
    service({ signal }).configuration.invitations(collection),
  );
  useRepeated(reload);
  const [inviting, setInviting] = useState(false);
  const [revoking, setRevoking] = useState<Invitation>();
  const [made, setMade] = useState<{ person: string; secret: string }>();
  return (
    <>
      <div class="head">
        <p class="muted">{ta('inviteLead')}</p>
        <span class="push" />
        <button type="button" class="btn" onClick={() => setInviting(true)}>
          <Icon name="plus" />
          {ta('invite')}
        </button>
      </div>
      {made && (
        <div class="card">
          <SecretOnce
            title={ta('inviteLink', { name: made.person })}
            secret={linkOf(collection, made.secret)}
            onDone={() => setMade(undefined)}
          />
        </div>
      )}
      {(error || !value) && <Loading error={error} retry={reload} />}
      {value?.length === 0 && <Empty title={ta('inviteNone')} />}
      {value && value.length > 0 && (
        <ul class="list" aria-label={ta('invitations')}>
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
            title: ta('revokeTitle', { name: revoking.user_id }),
            help: ta('revokeHelp'),
            done: ta('revoked_', { name: revoking.user_id }),
            confirm: ta('revoke'),
          }}
          remove={() => service().configuration.revokeInvitation(collection, revoking.id)}
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
            {ta(`invite_${state}`)}
          </span>
          {' · '}
          {state === 'open' ? ta('inviteUntil', { time: fullTime(until) }) : fullTime(ended ?? until)}
          {' · '}
          {ta('inviteBy', { name: by, time: fullTime(created), token: name })}
        </span>
      </div>
      {state === 'open' && (
        <button type="button" class="btn small" aria-label={`${ta('revoke')}: ${person}`} onClick={onRevoke}>
          {ta('revoke')}
        </button>
      )}
    </li>
  );
}
