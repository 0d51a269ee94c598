/** Times of entries: ISO 8601 with microseconds and `+00:00`, in the database as microseconds since 1970. */

export function timeOf(microseconds: number): string {
  const rest = String(microseconds % 1000).padStart(3, '0');
  return `${new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1)}${rest}+00:00`;
}

/** The time of now, in the form of entries. */
export function presentTime(): string {
  return timeOf(Date.now() * 1000 + 999);
}

/** How far the time of an entry is ahead of the clock, in words; undefined if it is less than a minute, as between two machines. */
export function aheadOfClock(microseconds: number): string | undefined {
  const minutes = Math.floor(microseconds / 60_000_000 - Date.now() / 60_000);
  if (minutes < 1) return undefined;
  const [unit, size] = (
    [
      ['day', 24 * 60],
      ['hour', 60],
      ['minute', 1],
    ] as const
  ).find(([, least]) => minutes >= least)!;
  const number = Math.floor(minutes / size);
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

/** The reverse of {@link timeOf}. */
export function microsecondsOf(time: string): number {
  return Date.parse(`${time.slice(0, 23)}Z`) * 1000 + Number(time.slice(23, 26));
}
