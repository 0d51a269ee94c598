/** Shows the changes of a record, slot by slot: by a submission, or by the curator who accepted it. */

import { pointerKeys } from '#linkml/json.ts';
import { textOf } from '../../../../ui/shared/difference.tsx';
import { pathWords } from '../../../../ui/shared/history.tsx';
import { rangeAlong, useSlotsOf } from '../../../../ui/shared/inlined.ts';
import { Added, Marked, Removed } from '../../../../ui/shared/marks.tsx';
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import type { SubmissionDifference } from '../../../client/client.ts';
import { tr } from './texts.ts';

const SHOWN = 5;

type Side = 'submitted' | 'curated';

export function ChangedSlots({
  collection,
  differences,
  description,
  from,
  to,
}: {
  collection: string;
  differences: readonly SubmissionDifference[];
  description: ClassDescription | undefined;
  from: Side;
  to: Side;
}) {
  const slotsOf = useSlotsOf(collection, description?.slots ?? []);
  return (
    <>
      {differences.slice(0, SHOWN).map(({ path, ...sides }) => {
        const range = rangeAlong(pointerKeys(path), description?.slots ?? [], slotsOf);
        const reading = { titles: undefined, range, slotsOf };
        const before = textOf(sides[from], reading);
        const after = textOf(sides[to], reading);
        return (
          <span key={path} class="delta-item">
            {pathWords(path, description, slotsOf)}{' '}
            {before === '' ? (
              <Added text={after} />
            ) : after === '' ? (
              <Removed text={before} />
            ) : (
              <Marked before={before} after={after} />
            )}{' '}
          </span>
        );
      })}
      {differences.length > SHOWN && tr('submissions.moreSlots', { n: differences.length - SHOWN })}
    </>
  );
}
