/** Lists the sent and waiting deliveries of a webhook, newest first; each can be sent again. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { useLoad, useRepeated } from '../../../../ui/shared/load.ts';
import { ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { shortTime } from '../../../../ui/shared/time.ts';
import type { SendOutcome, WebhookDelivery } from '../api-types.ts';
import { webhooks } from '../client.ts';
import { tw } from './texts.ts';

const SHOWN = 20;

/** The answer of the receiver, in words. */
export function outcomeWords({ delivered, status, error }: SendOutcome): string {
  if (delivered) return tw('sent', { status: String(status) });
  return tw('refused', { reason: error ?? tw('noResponse') });
}

export function Deliveries({ collection, name }: { collection: string; name: string }) {
  const [limit, setLimit] = useState(SHOWN);
  const [outcome, setOutcome] = useState('');
  const client = lab(collection).use(webhooks);
  const { value, error, reload } = useLoad(`${collection}/${name}/${limit}`, () =>
    client.deliveries(name, { limit }),
  );
  useRepeated(reload);
  const redeliver = useAction(async (id: number) => {
    setOutcome(outcomeWords(await client.send(name, id)));
    reload();
  });
  if (error || !value) return <Loading error={error} retry={reload} rows={3} />;
  if (value.length === 0) return <p class="muted">{tw('deliveriesNone')}</p>;
  return (
    <>
      <ul class="list" aria-label={tw('deliveriesOf', { name })}>
        {value.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} onRedeliver={() => redeliver.run(delivery.id)} />
        ))}
      </ul>
      <p role="status">{outcome}</p>
      {redeliver.error && <ErrorNote error={redeliver.error} />}
      {value.length === limit && (
        <p>
          <button type="button" class="btn small" onClick={() => setLimit(limit + SHOWN)}>
            {tw('more')}
          </button>
        </p>
      )}
    </>
  );
}

function Row({ delivery, onRedeliver }: { delivery: WebhookDelivery; onRedeliver: () => void }) {
  const { state, attempts, attempted, status, error, data } = delivery;
  const mark = state === 'delivered' ? 'accepted' : 'waiting';
  const tried = [
    tw('attempts', { n: attempts }),
    ...(attempted === null ? [] : [shortTime(attempted)]),
    ...(status === null ? [] : [tw('status', { status: String(status) })]),
    ...(error === null ? [] : [error]),
  ];
  return (
    <li class="line">
      <div class="stack-s">
        <span>
          <span class={`st st-${mark}`}>
            <StateMark name={mark} />
            {tw(state)}
          </span>{' '}
          {tw(data.kind)} <bdi class="mono wrap-any">{data.pid}</bdi>
        </span>
        <span class="faint small">{tried.join(' · ')}</span>
      </div>
      <button
        type="button"
        class="btn small"
        aria-label={tw('redeliverOf', { pid: data.pid })}
        onClick={onRedeliver}
      >
        {tw('redeliver')}
      </button>
    </li>
  );
}
