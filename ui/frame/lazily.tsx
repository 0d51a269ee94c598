/** Components of modules that are fetched when they are first shown. */
import type { ComponentChild, ComponentType } from 'preact';
import { useLoad } from '../shared/load.ts';

/** @param before what is shown until the component is there; default: nothing */
export function lazily<Props extends object>(
  name: string,
  view: () => Promise<ComponentType<Props>>,
  before: (props: Props) => ComponentChild = () => null,
): ComponentType<Props> {
  return function Lazily(props: Props) {
    // A component by itself would be called as an update of the state.
    const { value } = useLoad(name, async () => ({ View: await view() }));
    return value ? <value.View {...props} /> : before(props);
  };
}
