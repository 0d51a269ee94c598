/** Light, dark, or as the system has it. */
const STORED = 'accession.theme';
const apply = (theme: string | null) => {
  if (theme) document.documentElement.dataset.theme = theme;
};
apply(localStorage.getItem(STORED));

/** Switches to the other of light and dark. */
export function switchTheme(): void {
  const current =
    document.documentElement.dataset.theme ??
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const next = current === 'dark' ? 'light' : 'dark';
  localStorage.setItem(STORED, next);
  apply(next);
}
