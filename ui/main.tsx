/** Starts the desk. */
import './base/theme.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import { listenToKeys } from './base/keys.ts';
import { followLinks } from './base/router.ts';

followLinks();
listenToKeys();
render(<App />, document.getElementById('desk')!);
