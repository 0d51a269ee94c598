/** The header `Retry-After` of the responses of others (RFC 9110, 10.2.3). */

/** The forms of HTTP dates: `Date.parse` alone would read much else. */
const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/**
 * For how long a service asks to be left alone.
 *
 * @param value seconds, or an HTTP date
 * @param sent the header `Date` of the same response, by whose clock a date is meant; without it, it is the clock of this process
 * @returns milliseconds; undefined if the header is missing or is neither
 */
export function retryAfter(
  value: string | null | undefined,
  sent: string | null | undefined,
): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!DATE.test(value)) return undefined;
  const now = (sent && Date.parse(sent)) || Date.now();
  const until = Date.parse(value);
  return Number.isNaN(until) ? undefined : Math.max(0, until - now);
}
