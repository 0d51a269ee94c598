/** What a page may not do, unless it is allowed by name. */
const NEVER = ['base-uri', 'form-action', 'frame-ancestors'];

/** The header of a page from which browsers load only the named resources. */
export function contentPolicy(...allowed: readonly string[]): string {
  const never = NEVER.filter((name) => !allowed.some((one) => one.startsWith(`${name} `)));
  return ["default-src 'none'", ...allowed, ...never.map((name) => `${name} 'none'`)].join('; ');
}
