/** Times of entries: ISO 8601 with microseconds and `+00:00`, in the database as microseconds since 1970. */

export function timeOf(microseconds: number): string {
  const rest = String(microseconds % 1000).padStart(3, '0');
  return `${new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1)}${rest}+00:00`;
}

/** The reverse of {@link timeOf}. */
export function microsecondsOf(time: string): number {
  return Date.parse(`${time.slice(0, 23)}Z`) * 1000 + Number(time.slice(23, 26));
}
