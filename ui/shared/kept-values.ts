/** Where unused input is kept: in this tab, by user and name. Signing out forgets it. */
const PREFIX = 'accession.kept:';

export function keptKey(user: string | null | undefined, name: string): string {
  return `${PREFIX}${user ?? ''}:${name}`;
}

export function forgetAllKept(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}
