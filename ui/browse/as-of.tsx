/** A record as it was at the end of a day, which the address names: the day is chosen beside the record, and said above it. */
import { useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import { go, withQuery } from '../shared/router.ts';
import { TextField } from '../shared/text-field.tsx';
import { calendarDate } from '../shared/time.ts';
import { tb } from './texts.ts';

/** Chooses the day. While it is typed, it is many days, so it counts when it is confirmed. */
export function ChooseDay({ day }: { day: string }) {
  const [typed, setTyped] = useState(day);
  const show = (event: Event) => {
    event.preventDefault();
    go(withQuery({ at: typed || null }));
  };
  return (
    <form onSubmit={show}>
      <TextField
        id="as-of"
        type="date"
        label={tb('asOf')}
        help={tb('asOfHelp')}
        value={typed}
        onText={setTyped}
      />
      <button type="submit" class="btn small">
        {tb('asOfShow')}
      </button>
    </form>
  );
}

/** Says that the record is not shown as it is now, and leads back. */
export function FormerDay({ day }: { day: string }) {
  return (
    <p class="note" role="status">
      <Icon name="history" />
      <span>
        {tb('asOfDay', { day: calendarDate(day) })} <a href={withQuery({ at: null })}>{tb('asOfNow')}</a>
      </span>
    </p>
  );
}
