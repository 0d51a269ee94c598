/** Enter in a field that searches takes a hit of what is typed: hits of an earlier text may still be shown. */
import { useEffect, useState } from 'preact/hooks';

/**
 * @param isFound whether the hits are those of what is typed
 * @param take takes the one that is marked, if there is one
 * @returns notes that Enter was pressed, or with false that something else was typed
 */
export function useEnter(isFound: boolean, take: () => void): (isPressed: boolean) => void {
  const [isPressed, setPressed] = useState(false);
  useEffect(() => {
    if (!isPressed || !isFound) return;
    setPressed(false);
    take();
  }, [isPressed, isFound]);
  return setPressed;
}
