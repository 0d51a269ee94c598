/** A date with time, or a time, in the field of the browser; the zone of what is stored is beside it. */
import { useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { type MomentParts, storedMoment } from './moment-parts.ts';

export function Moment({
  parts,
  onChange,
  ...common
}: {
  parts: MomentParts;
  onChange: (value: string | undefined) => void;
  id: string;
}) {
  // While a part of the field is empty, the browser has no value; the zone is that of before.
  const last = useRef(parts);
  if (!parts.isEmpty) last.current = parts;
  const zone = parts.zone === 'Z' ? 'UTC' : parts.zone && `UTC${parts.zone}`;
  return (
    <div class="moment">
      <input
        class="input"
        type={parts.kind === 'time' ? 'time' : 'datetime-local'}
        step={1}
        {...common}
        value={parts.local}
        onInput={(event) => onChange(storedMoment(last.current, event.currentTarget.value))}
      />
      {!parts.isEmpty && (
        <span class="tiny faint" title={t('form.zone')}>
          {zone || t('form.noZone')}
        </span>
      )}
    </div>
  );
}
