/** Days where the user is, as `2026-11-19`. */

/** The day that is so many days from now. */
export function dayFromNow(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  const digits = (number: number, length = 2) => String(number).padStart(length, '0');
  return [digits(date.getFullYear(), 4), digits(date.getMonth() + 1), digits(date.getDate())].join('-');
}

/** Whether a string is a day without a time. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text);
}

/** The end of a day as a time; undefined for another text. */
export function endOfDay(day: string | null): string | undefined {
  if (day === null || !isDay(day)) return undefined;
  const end = new Date(`${day}T23:59:59.999`);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}
