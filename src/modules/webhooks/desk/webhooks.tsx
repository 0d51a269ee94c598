/** The webhooks of a collection: what they are set to, whether they work, their deliveries. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { DeleteElement, TrashButton } from '../../../../ui/shared/delete-element.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad, useRepeated } from '../../../../ui/shared/load.ts';
import { Empty, ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { SecretOnce } from '../../../../ui/shared/secret-once.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { StateMark, type StateName } from '../../../../ui/shared/state.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import type { SendOutcome, Webhook } from '../api-types.ts';
import { webhooks } from '../client.ts';
import { Deliveries, outcomeWords } from './deliveries.tsx';
import { tw } from './texts.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

const MARKS: Readonly<Record<Webhook['state'], StateName>> = {
  active: 'accepted',
  failing: 'diverged',
  disabled: 'rejected',
};

export function Webhooks({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, (signal) =>
    lab(collection, signal).use(webhooks).list(),
  );
  useRepeated(reload);
  const [editing, setEditing] = useState<Webhook | 'new'>();
  const [deleting, setDeleting] = useState<Webhook>();
  const [created, setCreated] = useState<{ name: string; secret: string }>();
  return (
    <>
      <div class="head">
        <p class="muted">{tw('lead')}</p>
        <span class="push" />
        <button type="button" class="btn" onClick={() => setEditing('new')}>
          <Icon name="plus" />
          {tw('add')}
        </button>
      </div>
      {created && (
        <div class="card">
          <SecretOnce
            title={tw('secret', { name: created.name })}
            secret={created.secret}
            onDone={() => setCreated(undefined)}
          />
        </div>
      )}
      {(error || !value) && <Loading error={error} retry={reload} />}
      {value?.length === 0 && <Empty title={tw('none')} />}
      {value?.map((webhook) => (
        <WebhookCard
          key={webhook.name}
          collection={collection}
          webhook={webhook}
          onEdit={() => setEditing(webhook)}
          onDelete={() => setDeleting(webhook)}
          onChange={reload}
        />
      ))}
      {editing && (
        <WebhookDialog
          collection={collection}
          webhook={editing === 'new' ? undefined : editing}
          others={(value ?? []).map(({ name }) => name)}
          onStored={({ name, secret }) => {
            if (secret === null) toast(tw('saved', { name }));
            else setCreated({ name, secret });
            setEditing(undefined);
            reload();
          }}
          onClose={() => setEditing(undefined)}
        />
      )}
      {deleting && (
        <DeleteElement
          words={{
            title: tw('deleteTitle', { name: deleting.name }),
            help: tw('deleteHelp', { url: deleting.url }),
            done: tw('deleteDone', { name: deleting.name }),
          }}
          remove={() => lab(collection).use(webhooks).delete(deleting.name)}
          onDone={reload}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

function WebhookCard(props: {
  collection: string;
  webhook: Webhook;
  onEdit: () => void;
  onDelete: () => void;
  onChange: () => void;
}) {
  const { collection, webhook, onEdit, onDelete, onChange } = props;
  const {
    name,
    url,
    kinds = [],
    classes = [],
    format,
    state,
    reason,
    failing_since: since,
    pending,
  } = webhook;
  const [shown, setShown] = useState(false);
  const [tested, setTested] = useState<SendOutcome>();
  const { error, run } = useAction((work: () => Promise<void>) => work().finally(onChange));
  const client = lab(collection).use(webhooks);
  const test = () => run(async () => setTested(await client.send(name)));
  const enable = () =>
    run(async () => {
      await client.put(name, { url, kinds, classes, ...(format && { format }) });
      toast(tw('enabled', { name }));
    });
  const which = [
    kinds.map((kind) => tw(kind)).join(', ') || tw('everything'),
    ...(classes.length > 0 ? [tw('ofClasses', { names: classes.join(', ') })] : []),
  ];
  return (
    <section class="card coll-card" aria-label={name}>
      <div class="cap wrap">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <span class={`st st-${MARKS[state]}`}>
          <StateMark name={MARKS[state]} />
          {tw(state)}
        </span>
        <span class="push" />
        {state === 'disabled' && (
          <button type="button" class="btn small primary" onClick={enable}>
            {tw('enable')}
          </button>
        )}
        <button type="button" class="btn small" aria-label={tw('testOf', { name })} onClick={test}>
          {tw('test')}
        </button>
        <button type="button" class="icon" aria-label={tw('edit', { name })} onClick={onEdit}>
          <Icon name="pencil" />
        </button>
        <TrashButton label={tw('delete', { name })} onClick={onDelete} />
      </div>
      <div class="body stack">
        <p class="mono wrap-any">{url}</p>
        <p class="small muted">
          {[...which, tw(format ?? 'standard'), ...(pending > 0 ? [tw('waiting', { n: pending })] : [])].join(
            ' · ',
          )}
        </p>
        {state === 'disabled' && (
          <p class="note st-rejected">
            <Icon name="warning" />
            <span>
              {reason} {tw('disabledHelp')}
            </span>
          </p>
        )}
        {state === 'failing' && (
          <p class="note st-diverged">
            <Icon name="warning" />
            <span>{tw('failingSince', { time: fullTime(since) })}</span>
          </p>
        )}
        <p role="status">{tested && outcomeWords(tested)}</p>
        {error && <ErrorNote error={error} />}
        <p>
          <button type="button" class="linkish" aria-expanded={shown} onClick={() => setShown(!shown)}>
            {tw(shown ? 'hide' : 'deliveries')}
          </button>
        </p>
        {shown && <Deliveries collection={collection} name={name} />}
      </div>
    </section>
  );
}
