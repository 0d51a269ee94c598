/** Components of modules that are fetched when they are first shown. */
import type { ComponentType } from 'preact';
import { useLoad } from '../shared/load.ts';

/** A component that shows nothing until it is there. */
export function lazily<Props extends object>(
  name: string,
  view: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function Lazily(props: Props) {
    // A component by itself would be called as an update of the state.
    const { value } = useLoad(name, async () => ({ View: await view() }));
    return value ? <value.View {...props} /> : null;
  };
}
