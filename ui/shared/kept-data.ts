/**
 * Values that are too large for the storage of a tab, such as a table that was read: in IndexedDB of this browser, for one tab
 * and one user. Signing out forgets those of the user in all tabs, and a month those of tabs that were closed.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { useGuard } from './guard.ts';
import { deleteData, putData, readData } from './kept-store.ts';
import { session } from './session.ts';

type KeptData<T> = {
  /** Undefined until it is read, and if there is none. */
  readonly value: T | undefined;
  readonly isRead: boolean;
  /** Whether a reload would lose it, since the browser has no room or no database for it. */
  readonly isLost: boolean;
  readonly change: (next: T | undefined) => void;
  /** Forgets what is kept, because it was used; the view still has it. */
  readonly forget: () => void;
};

/** A state that starts with what this tab has kept under a name. While it could not be kept, the desk asks before it is left. */
export function useKeptData<T>(name: string): KeptData<T> {
  const [value, setValue] = useState<T>();
  const [isRead, setRead] = useState(false);
  const [isLost, setLost] = useState(false);
  const user = useRef(session.me.peek()?.user_id).current;
  const latest = useRef(0);
  useEffect(() => {
    let isCurrent = true;
    readData<T>(user, name).then((kept) => {
      if (!isCurrent) return;
      setValue(kept);
      setRead(true);
    });
    return () => {
      isCurrent = false;
    };
  }, []);
  useGuard(isLost, t('kept.leave'));
  const keep = async (kept: Promise<boolean>) => {
    latest.current += 1;
    const number = latest.current;
    const isKept = await kept;
    if (number === latest.current) setLost(!isKept);
  };
  const forget = () => {
    keep(deleteData(user, name));
  };
  const change = (next: T | undefined) => {
    setValue(next);
    if (next === undefined) forget();
    else if (session.me.peek()?.user_id === user) keep(putData(user, name, next));
  };
  return { value, isRead, isLost, change, forget };
}
