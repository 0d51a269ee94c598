/** Above a curated record that does not fit the schema: why, and the form that corrects it. */
import type { PanelProps } from '../../../../ui/module.ts';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { problemLine } from '../../../../ui/shared/problem-words.ts';
import { urlOf } from '../../../../ui/shared/router.ts';
import { readClass, written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import { curate } from '../client.ts';
import { tc } from './texts.ts';

export function FaultNote({ collection, of: pid }: PanelProps) {
  const mayMend = may(collection, 'curate');
  const { value } = useLoad(
    mayMend ? `${collection}/${pid}` : undefined,
    (signal) => lab(collection, signal).use(curate).faultsOf(pid),
    written.value,
  );
  const [fault] = value?.items ?? [];
  const { value: described } = useLoad(fault && `${collection}/${fault.class}`, () =>
    readClass(collection, fault!.class),
  );
  if (!mayMend || fault?.pid !== pid) return null;
  return (
    <div class="note st-diverged" role="note">
      <Icon name="warning" />
      <div>
        <p class="strong">{tc('unfit')}</p>
        {fault.problems.map((problem, index) => (
          <p key={index}>{problemLine(problem, described?.slots)}</p>
        ))}
        <p>
          <a href={urlOf([collection, 'edit'], { pid })}>{tc('edit')}</a>
        </p>
      </div>
    </div>
  );
}
