/** The header of a page from which browsers load only the named resources. */
export function contentPolicy(...allowed: readonly string[]): string {
  const never = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
  return ["default-src 'none'", ...allowed, ...never].join('; ');
}
