/** Starts the desk. */
import { render } from 'preact';
import { App } from './app.tsx';
import { Boundary } from './frame/boundary.tsx';
import { keepFocus } from './shared/keep-focus.ts';
import { listenToKeys } from './shared/keys.ts';
import { followPrinting } from './shared/printing.ts';
import { followLinks } from './shared/router.ts';
import { inheritToken } from './shared/session.ts';

followLinks();
followPrinting();
listenToKeys();
keepFocus();
await inheritToken();
render(
  <Boundary isAlone>
    <App />
  </Boundary>,
  document.getElementById('desk')!,
);
