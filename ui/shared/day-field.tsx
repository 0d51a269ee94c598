/** A field for a day. The browser writes it in its own language, so the desk says beside it which day that is. */
import type { InputHTMLAttributes } from 'preact';
import { calendarDate } from './time.ts';

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'value' | 'class' | 'role'> & {
  value: string;
};

export function DayField({ value, ...input }: Props) {
  return (
    <div class="moment">
      <input {...input} class="input" type="date" value={value} />
      {value !== '' && <span class="tiny faint">{calendarDate(value)}</span>}
    </div>
  );
}
