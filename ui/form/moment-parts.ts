/** Times as the browser picks them, with the zone that a stored one has. */

export type MomentParts = {
  readonly kind: 'datetime' | 'time';
  /** The value of the field of the browser: `2026-11-23T14:30:00`, or `14:30:00`. */
  readonly local: string;
  /** `Z`, `+01:00`, or empty. */
  readonly zone: string;
  /** Whether nothing is stored. */
  readonly isEmpty: boolean;
};

const FORMS = {
  datetime: /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/,
  time: /^(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/,
};

/** The parts of a stored time; undefined if it is none that a browser can pick. */
export function momentParts(kind: MomentParts['kind'], stored: string): MomentParts | undefined {
  if (stored === '') return { kind, local: '', zone: '', isEmpty: true };
  const found = FORMS[kind].exec(stored);
  return found ? { kind, local: found[1] ?? '', zone: found[2] ?? '', isEmpty: false } : undefined;
}

/** The time that is stored for what was picked. A new date with time gets the zone of the user; others keep theirs. */
export function storedMoment({ kind, zone, isEmpty }: MomentParts, picked: string): string | undefined {
  if (picked === '') return undefined;
  const isShort = /^(.*T)?\d\d:\d\d$/.test(picked);
  const whole = isShort ? `${picked}:00` : picked;
  return whole + (isEmpty && kind === 'datetime' ? zoneAt(new Date(whole)) : zone);
}

/** The difference of a zone from UTC at a time: `+01:00`. */
export function zoneAt(time: Date, minutes = -time.getTimezoneOffset()): string {
  if (minutes === 0) return 'Z';
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
}
