/** Starts the desk. */
import { render } from 'preact';
import { App } from './app.tsx';
import { listenToKeys } from './shared/keys.ts';
import { followPrinting } from './shared/printing.ts';
import { followLinks } from './shared/router.ts';
import { inheritToken } from './shared/session.ts';

followLinks();
followPrinting();
listenToKeys();
await inheritToken();
render(<App />, document.getElementById('desk')!);
