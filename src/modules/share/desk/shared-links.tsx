/** The shared links of a collection: whom each is for, until when it works, and its end. */
import { useState } from 'preact/hooks';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { isDay } from '../../../../ui/shared/days.ts';
import { DeleteElement } from '../../../../ui/shared/delete-element.tsx';
import { useLoad, useRepeated } from '../../../../ui/shared/load.ts';
import { Empty, Loading } from '../../../../ui/shared/notes.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { calendarDate, fullTime, shortTime } from '../../../../ui/shared/time.ts';
import { type SharedLink, share } from '../client.ts';
import { tl } from './texts.ts';
import { tt } from './title.ts';

export function SharedLinks({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, (signal) => lab(collection, signal).use(share).list());
  useRepeated(reload);
  const [revoking, setRevoking] = useState<SharedLink>();
  return (
    <>
      <div class="head">
        <p class="muted">{tl('lead')}</p>
      </div>
      {(error || !value) && <Loading error={error} retry={reload} />}
      {value?.length === 0 && <Empty title={tl('none')} />}
      {value && value.length > 0 && (
        <ul class="list" aria-label={tt('page')}>
          {value.map((link) => (
            <Row key={link.name} link={link} onRevoke={() => setRevoking(link)} />
          ))}
        </ul>
      )}
      {revoking && (
        <DeleteElement
          words={{
            title: tl('revokeTitle', { title: revoking.title }),
            help: tl('revokeHelp'),
            done: tl('revokeDone', { title: revoking.title }),
            confirm: tl('revoke'),
          }}
          remove={() => lab(collection).use(share).revoke(revoking.name)}
          onDone={reload}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

/** A link that was made over HTTP may end at a time of day. */
const endText = (until: string) => (isDay(until) ? calendarDate(until) : fullTime(until));

function Row({ link, onRevoke }: { link: SharedLink; onRevoke: () => void }) {
  const { title, until, by, last_used: used } = link;
  return (
    <li class="line">
      <div class="stack-s">
        <span>
          <b class="strong">
            <bdi>{title}</bdi>
          </b>{' '}
          {until === '' ? tl('endless') : tl('untilTime', { time: endText(until) })}
        </span>
        <span class="faint small">
          {tl('by', { name: by })}
          {' · '}
          {used === null ? tl('unused') : tl('used', { time: shortTime(used) })}
        </span>
      </div>
      <button type="button" class="btn small" aria-label={`${tl('revoke')}: ${title}`} onClick={onRevoke}>
        {tl('revoke')}
      </button>
    </li>
  );
}
