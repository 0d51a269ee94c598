/** `npm run build:linkml`: what the package in `packages/linkml` holds, made from the sources of the engine. */
import { copyFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildLibraries, LINKML_LIBRARIES } from './libraries.ts';

const root = resolve(import.meta.dirname, '..');
const folder = resolve(root, 'packages/linkml');

rmSync(resolve(folder, 'dist'), { recursive: true, force: true });
await buildLibraries(resolve(folder, 'dist'), LINKML_LIBRARIES);
copyFileSync(resolve(root, 'LICENSE'), resolve(folder, 'LICENSE'));
