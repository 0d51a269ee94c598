/** The link to the surroundings of a record, in its heading. */
import type { PanelProps } from '../../../../ui/module.ts';
import { urlOf } from '../../../../ui/shared/router.ts';
import { to } from './texts.ts';

export function SurroundingsLink({ collection, of: pid }: PanelProps) {
  return <a href={urlOf([collection, 'surroundings'], { pid })}>{to('surroundings')}</a>;
}
