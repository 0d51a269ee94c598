/** The head of a submission: what it is of, what was written with it, and what is wrong with it. */

import { Copy } from '../../../../ui/shared/copy.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { problemLine } from '../../../../ui/shared/problem-words.ts';
import { SameThing } from '../../../../ui/shared/same-thing.tsx';
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import { Heading } from '../../../../ui/shared/sheet.tsx';
import { State } from '../../../../ui/shared/state.tsx';
import { Tile } from '../../../../ui/shared/tile.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { ReviewItem as Item, Submission } from '../api-types.ts';
import { Approvals } from './approvals.tsx';
import { RequestTag } from './comments.tsx';
import type { useItemTitles } from './item-titles.ts';
import { titleOf } from './queue-columns.tsx';
import { tr } from './texts.ts';

export function ReviewHead({
  collection,
  item,
  description,
  titles,
}: {
  collection: string;
  item: Item;
  description: ClassDescription;
  titles: ReturnType<typeof useItemTitles>;
}) {
  return (
    <div class="page review-head">
      <Heading tile={<Tile name={item.class} large />} title={titleOf(item as unknown as Submission)}>
        <State name={item.state} chip />
        {item.standing !== 'waiting' && <State name={item.standing} chip />}
        <RequestTag requested={item.requested} />
        <span class="mono">{item.pid}</span>
        <Copy text={item.pid} label={t('record.copyPid')} />
        {item.differences.length > 0 && item.state !== 'new' && (
          <span>
            {tr('review.counts', { n: item.differences.length })}
            {item.conflicts > 0 && `, ${tr('queue.conflicts', { n: item.conflicts })}`}
          </span>
        )}
      </Heading>
      {item.message && (
        <p class="note">
          <Icon name="send" />
          <span class="pre">
            <bdi>{item.message}</bdi>
          </span>
        </p>
      )}
      <SameThing
        title={tr('review.sameThing')}
        collection={collection}
        pid={item.pid}
        others={item.duplicates}
        titles={titles}
      />
      <Approvals collection={collection} item={item} description={description} />
      {item.problems.length > 0 && (
        <div class="note st-rejected">
          <Icon name="warning" />
          <div>
            <p class="strong">{tr('review.invalid')}</p>
            <ul>
              {item.problems.map((one) => (
                <li key={one.loc.join('/') + one.type} class="pre">
                  {problemLine(one, description.slots)}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {item.state === 'same' && (
        <p class="note">
          <span>{tr('review.same')}</span>
        </p>
      )}
    </div>
  );
}
