/** The frame of public pages: no script, one style, which is in the page. */
import { hash } from 'node:crypto';
import { Html, html } from '../../core/formats/html.ts';
import { contentPolicy } from '../../core/http/content-policy.ts';

/** The tokens of the desk (`ui/styles/tokens.css`) that pages use. */
export const TOKENS = `--desk: light-dark(#f3f1ec, #121211);
  --sheet: light-dark(#ffffff, #1b1b19);
  --line-soft: light-dark(#ebe8e2, #2a2a28);
  --line-firm: light-dark(#d9d5cc, #3b3a37);
  --ink: light-dark(#1d1b18, #eeece7);
  --ink-2: light-dark(#57524a, #b4b0a7);
  --focus: light-dark(#2457d6, #8fb1ff);`;

const STYLE = `
:root {
  color-scheme: light dark;
  ${TOKENS}
}
body { margin: 0; background: var(--desk); color: var(--ink); font: 0.9375rem/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 2rem auto; padding: 1.5rem 2rem 2rem; background: var(--sheet); border: 1px solid var(--line-soft); border-radius: 10px; }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.3; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 0.5rem; font-size: 1rem; }
p { margin: 0.5rem 0; }
a { color: inherit; text-underline-offset: 0.15em; overflow-wrap: anywhere; }
a:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.about { color: var(--ink-2); }
dl { display: grid; grid-template-columns: minmax(7rem, 12rem) 1fr; margin: 1.5rem 0 0; }
dl dl { margin: 0; }
dt, dd { margin: 0; padding: 0.375rem 0; border-top: 1px solid var(--line-soft); }
dt { padding-right: 1rem; color: var(--ink-2); }
dd { overflow-wrap: anywhere; white-space: pre-line; }
ul { margin: 0; padding-left: 1.25rem; }
dd > ul { padding: 0; list-style: none; }
footer { margin-top: 2rem; padding-top: 0.75rem; border-top: 1px solid var(--line-firm); color: var(--ink-2); }
@media (max-width: 40rem) {
  main { margin: 0; padding: 1rem; border: 0; border-radius: 0; }
  dl { grid-template-columns: 1fr; }
  dd { padding-top: 0; border-top: 0; }
}
@media print {
  :root { color-scheme: light; }
  body, main { background: none; }
  main { max-width: none; margin: 0; padding: 0; border: 0; }
  .screen { display: none; }
}
`;

/** Allows browsers to apply the style of a page, and nothing else. */
export const PAGE_POLICY = contentPolicy(`style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`);

/** A page. @param head what its head has besides the title */
export function page(title: string, head: Html | undefined, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${new Html(`<style>${STYLE}</style>`)}
${head}
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text;
}

/** A page with a message in place of a record. */
export function messagePage(title: string, message: string): string {
  return page(
    title,
    html`<meta name="robots" content="noindex">`,
    html`<h1>${title}</h1>\n<p>${message}</p>`,
  );
}
