/** Starts the desk. */
import './base/theme.ts';
import { render } from 'preact';
import { listenToKeys } from './base/keys.ts';
import { followLinks } from './base/router.ts';
import { App } from './app.tsx';

followLinks();
listenToKeys();
render(<App />, document.getElementById('desk')!);
