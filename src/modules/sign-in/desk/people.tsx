/** Who may do what in a collection, who asks for access, and the people of the service: what a curator sees, and an administrator decides. */
import { useState } from 'preact/hooks';
import { modeWords } from '../../../../ui/admin/texts.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { DeleteElement } from '../../../../ui/shared/delete-element.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad, useRepeated } from '../../../../ui/shared/load.ts';
import { Empty, ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { place } from '../../../../ui/shared/router.ts';
import { SearchField } from '../../../../ui/shared/search-field.tsx';
import { lab, service } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import { fullTime, shortTime } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { type AccessRequest, grants, type IdentityGrant, type Person, signIn } from '../client.ts';
import { BlockDialog } from './block-dialog.tsx';
import { GrantDialog, type Grantee } from './grant-dialog.tsx';
import { ts } from './texts.ts';

export function People({ collection }: ViewProps) {
  const isAdministrator = session.me.value?.admin === true;
  const [granting, setGranting] = useState<Partial<Grantee>>();
  const [round, setRound] = useState(0);
  const again = () => setRound((n) => n + 1);
  return (
    <>
      <Requests collection={collection} round={round} onGrant={isAdministrator ? setGranting : undefined} />
      {isAdministrator && (
        <>
          <Grants collection={collection} round={round} onGrant={() => setGranting({})} />
          <AllPeople onGrant={setGranting} />
        </>
      )}
      {granting && (
        <GrantDialog
          collection={collection}
          grantee={granting}
          onGranted={(name) => {
            toast(ts('grant.done', { name }));
            setGranting(undefined);
            again();
          }}
          onClose={() => setGranting(undefined)}
        />
      )}
    </>
  );
}

type ListProps = { collection: string; round: number };

function Requests(props: ListProps & { onGrant: ((grantee: Grantee) => void) | undefined }) {
  const { collection, round, onGrant } = props;
  const { value, error, reload } = useLoad(
    collection,
    (signal) => lab(collection, signal).use(grants).requests(),
    round,
  );
  useRepeated(reload);
  const dismiss = useAction(async (id: number) => {
    await lab(collection).use(grants).removeRequest(id);
    toast(ts('request.removed'));
    reload();
  });
  return (
    <>
      <div class="head first">
        <h2>
          {ts('request.title')} {value && value.length > 0 && <span class="faint">{value.length}</span>}
        </h2>
      </div>
      {!value && <Loading error={error} retry={reload} rows={1} />}
      {value?.length === 0 && <p class="muted">{ts('request.none')}</p>}
      {dismiss.error && <ErrorNote error={dismiss.error} />}
      {value && value.length > 0 && (
        <ul class="list" aria-label={ts('request.title')}>
          {value.map((request) => (
            <li key={request.id} class="line">
              <RequestText request={request} />
              {onGrant && (
                <span class="btns">
                  <button
                    type="button"
                    class="btn small"
                    aria-label={`${ts('request.remove')}: ${request.name}`}
                    disabled={dismiss.busy}
                    onClick={() => dismiss.run(request.id)}
                  >
                    {ts('request.remove')}
                  </button>
                  <button
                    type="button"
                    class="btn small primary"
                    aria-label={`${ts('request.grant')} ${request.name}`}
                    onClick={() => onGrant(request)}
                  >
                    {ts('request.grant')}
                  </button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function RequestText({ request: { name, email, source, message, created } }: { request: AccessRequest }) {
  return (
    <div class="stack-s">
      <span>
        <b class="strong">
          <bdi>{name}</bdi>
        </b>{' '}
        <span class="muted">
          {source}
          {email && ` · ${email}`}
        </span>
      </span>
      {message && <span class="pre">{message}</span>}
      <span class="faint small">{fullTime(created)}</span>
    </div>
  );
}

function Grants({ collection, round, onGrant }: ListProps & { onGrant: () => void }) {
  const { value, error, reload } = useLoad(
    collection,
    (signal) => lab(collection, signal).use(grants).list(),
    round,
  );
  const [removing, setRemoving] = useState<IdentityGrant>();
  return (
    <>
      <div class="head">
        <h2>{ts('grant.title', { name: collection })}</h2>
        <span class="push" />
        <button type="button" class="btn" onClick={onGrant}>
          <Icon name="plus" />
          {ts('grant.add')}
        </button>
      </div>
      {!value && <Loading error={error} retry={reload} />}
      {value?.length === 0 && <p class="muted">{ts('grant.none')}</p>}
      {value && value.length > 0 && (
        <ul class="list" aria-label={ts('grant.title', { name: collection })}>
          {value.map((grant) => (
            <li key={grant.id} class="line">
              <div class="stack-s">
                <span>
                  <b class="strong">
                    <bdi>{grant.name}</bdi>
                  </b>{' '}
                  <span class="muted">{grant.source}</span> {modeWords(grant.mode)}
                </span>
                <span class="faint small">
                  {ts('grant.by', { by: grant.by, time: fullTime(grant.created) })}
                  {grant.expires && ` · ${ts('grant.expires')} ${fullTime(grant.expires)}`}
                </span>
              </div>
              <button
                type="button"
                class="btn small"
                aria-label={`${ts('grant.remove')}: ${grant.name}`}
                onClick={() => setRemoving(grant)}
              >
                {ts('grant.remove')}
              </button>
            </li>
          ))}
        </ul>
      )}
      {removing && (
        <DeleteElement
          words={{
            title: ts('grant.removeTitle', { name: removing.name }),
            help: ts('grant.removeHelp'),
            done: ts('grant.removeDone', { name: removing.name }),
            confirm: ts('grant.remove'),
          }}
          remove={() => lab(collection).use(grants).remove(removing.id)}
          onDone={reload}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

function AllPeople({ onGrant }: { onGrant: (grantee: Grantee) => void }) {
  const q = place.value.query.get('q') ?? '';
  const { value, error, reload } = useLoad(`people ${q}`, (signal) =>
    service({ signal })
      .use(signIn)
      .people(q === '' ? {} : { q }),
  );
  const [blocking, setBlocking] = useState<Person>();
  const [blockingOther, setBlockingOther] = useState(false);
  const act = useAction(async (work: () => Promise<void>, done: string) => {
    await work();
    toast(done);
    reload();
  });
  const people = service().use(signIn);
  return (
    <>
      <div class="head">
        <h2>{ts('grant.all')}</h2>
        <span class="push" />
        <button type="button" class="btn" onClick={() => setBlockingOther(true)}>
          {ts('people.blockOther')}
        </button>
        <SearchField label={ts('people.search')} />
      </div>
      {!value && <Loading error={error} retry={reload} />}
      {act.error && <ErrorNote error={act.error} />}
      {value?.items.length === 0 && (
        <Empty title={q === '' ? ts('people.none') : ts('people.noneFound', { q })} />
      )}
      {value && value.items.length > 0 && (
        <ul class="list" aria-label={ts('grant.all')}>
          {value.items.map((person) => (
            <li key={person.id} class="line">
              <PersonText person={person} />
              <span class="btns">
                {person.blocked === null ? (
                  <>
                    <button
                      type="button"
                      class="btn small"
                      aria-label={`${ts('grant.add')}: ${person.name}`}
                      onClick={() => onGrant(person)}
                    >
                      {ts('grant.add')}
                    </button>
                    <button
                      type="button"
                      class="btn small"
                      aria-label={`${ts('people.endAll')}: ${person.name}`}
                      disabled={act.busy}
                      onClick={() =>
                        act.run(
                          () => people.endSessionsOf(person.id),
                          ts('people.ended', { name: person.name }),
                        )
                      }
                    >
                      {ts('people.endAll')}
                    </button>
                    <button
                      type="button"
                      class="btn small"
                      aria-label={`${ts('people.block')}: ${person.name}`}
                      onClick={() => setBlocking(person)}
                    >
                      {ts('people.block')}
                    </button>
                  </>
                ) : (
                  <button
                    type="button"
                    class="btn small"
                    aria-label={`${ts('people.unblock')}: ${person.name}`}
                    disabled={act.busy}
                    onClick={() =>
                      act.run(
                        () => people.setBlocked(person.id, false),
                        ts('people.unblocked', { name: person.name }),
                      )
                    }
                  >
                    {ts('people.unblock')}
                  </button>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {blockingOther && (
        <BlockDialog
          onBlocked={(subject) => {
            toast(ts('people.blockDone', { name: subject }));
            setBlockingOther(false);
            reload();
          }}
          onClose={() => setBlockingOther(false)}
        />
      )}
      {blocking && (
        <DeleteElement
          words={{
            title: ts('people.blockTitle', { name: blocking.name }),
            help: ts('people.blockHelp'),
            done: ts('people.blockDone', { name: blocking.name }),
            confirm: ts('people.block'),
          }}
          remove={() => people.setBlocked(blocking.id, true)}
          onDone={reload}
          onClose={() => setBlocking(undefined)}
        />
      )}
    </>
  );
}

function PersonText({ person }: { person: Person }) {
  const { name, email, orcid, groups, user_id: userId, seen, blocked, blocked_by: by } = person;
  return (
    <div class="stack-s">
      <span>
        <b class="strong">
          <bdi>{name}</bdi>
        </b>{' '}
        <span class="muted">
          <bdi>{userId}</bdi>
          {email && ` · ${email}`}
        </span>
        {orcid && (
          <>
            {' '}
            <a href={orcid} target="_blank" rel="noopener noreferrer">
              {orcid.slice('https://orcid.org/'.length)} ↗
            </a>
          </>
        )}
      </span>
      <span class="faint small">
        {blocked === null
          ? ts('people.seen', { time: shortTime(seen) })
          : ts('people.blocked', { time: fullTime(blocked), by: by ?? '' })}
        {groups.length > 0 && ` · ${ts('people.groups', { groups: groups.slice(0, 8).join(', ') })}`}
      </span>
    </div>
  );
}
