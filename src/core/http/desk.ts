/**
 * `/-/desk`: the web interface. Every path below it is the same page, which reads its own URL; assets are referred to
 * relative to that, so the desk works below any path of a proxy.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../errors.ts';
import { contentPolicy } from './content-policy.ts';
import type { Call } from './endpoint.ts';
import { sendTagged } from './etag.ts';

/** Nothing inline, nothing from elsewhere, and no HTML made from strings. */
const POLICY = contentPolicy(
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["worker-src 'self'"],
  // The policy has the URLs of the workers.
  ...["require-trusted-types-for 'script'", 'trusted-types accession'],
);
/** Of workers that read files of users: they load nothing but parts of their own, and connect to nothing. */
const WORKER_POLICY = contentPolicy("script-src 'self'");

/** Beside this file in a package, in `dist/` of a checkout. */
const FOLDERS = ['../ui', '../../../dist/ui'].map((path) => join(import.meta.dirname, path));

let found: string | undefined;

/** The folder of the built desk. It is looked for until it is there: in a checkout it may be built after the start. */
function builtDesk(): string | undefined {
  found ??= FOLDERS.find((folder) => existsSync(join(folder, 'app.js')));
  return found;
}

/** The files that the first one needs before it runs: asked for with it, not one after the other. */
async function firstFiles(folder: string): Promise<readonly string[]> {
  const list = await contentOf(folder, 'first.json');
  return list ? JSON.parse(list.toString()) : [];
}

/** The content of a file; undefined if there is none. */
function contentOf(folder: string, name: string): Promise<Buffer | undefined> {
  return readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect x="1" y="1" width="20" height="20" rx="5.5" ' +
  'fill="#1d1b18"/><path d="M6 15.5 11 6l5 9.5M8.1 12h5.8" fill="none" stroke="#fff" stroke-width="1.7" ' +
  'stroke-linecap="round" stroke-linejoin="round"/></svg>';

/** `GET /-/desk/*`: an asset, or the page. */
export async function desk(call: Call): Promise<FastifyReply> {
  const { request, reply } = call;
  const { '*': path = '' } = request.params as { '*'?: string };
  const [address = ''] = request.originalUrl.split('?');
  // Without the slash, relative references would leave the desk.
  if (address.endsWith('/-/desk')) return reply.code(307).header('location', 'desk/').send();
  if (path === 'assets/icon.svg') return sendTagged(call, 'image/svg+xml', ICON);
  if (path === 'sw.js') {
    // Its directory is what it may answer for: the desk alone.
    reply.header('content-security-policy', POLICY);
    return asset(call, path);
  }
  if (path.startsWith('assets/')) return asset(call, path.slice('assets/'.length));
  const folder = builtDesk();
  if (folder === undefined)
    throw new ServiceError('route_unknown', 'The desk is not built. Run "npm run build:ui".');
  const below = address.slice(address.indexOf('/-/desk/') + '/-/desk/'.length);
  const depth = below.split('/').length - 1;
  return reply
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('content-type', 'text/html; charset=utf-8')
    .send(page(depth, await firstFiles(folder)));
}

async function asset(call: Call, name: string): Promise<FastifyReply> {
  const mediaType = MEDIA_TYPES[extname(name)];
  const isName = /^[\w-]+(\.[\w-]+)*$/.test(name);
  const folder = builtDesk();
  const isAsset = folder !== undefined && mediaType !== undefined && isName;
  const content = isAsset ? await contentOf(folder, name) : undefined;
  if (!isAsset || !content) throw new ServiceError('route_unknown', 'This URL does not exist.');
  if (name.endsWith('-worker.js')) call.reply.header('content-security-policy', WORKER_POLICY);
  // The name of a chunk changes with its content.
  if (name.startsWith('chunk-')) call.reply.header('cache-control', 'public, max-age=31536000, immutable');
  return sendTagged(call, mediaType, content);
}

/** In both languages of the desk, since its choice is not known here: shown only if the files do not come. */
const LATE = [
  ['en', 'This takes longer than usual.', 'Reload'],
  ['de', 'Das dauert länger als sonst.', 'Neu laden'],
].map(([lang, title, reload]) => `<span lang="${lang}">${title} <a href="">${reload}</a></span>`);

/** The frame of every view, until the first file has run: an empty rail, and rows without words. */
const SKELETON = `<div class="shell" aria-busy="true"><div class="rail"></div><div class="view">
      <div class="banners"><p class="banner late" role="status">${LATE.join(' ')}</p></div><div class="sheets">
      <div class="sheet"><div class="bar"></div><div class="bones">${'<svg width="100%" height="36"><rect class="bone" x="24" y="13" width="180" height="10" rx="3"/><rect class="bone" x="45%" y="13" width="140" height="10" rx="3"/></svg>'.repeat(8)}</div></div>
    </div></div></div>`;

function page(depth: number, first: readonly string[]): string {
  const assets = `${'../'.repeat(depth)}assets`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Accession</title>
    <link rel="icon" type="image/svg+xml" href="${assets}/icon.svg">
    <link rel="stylesheet" href="${assets}/style.css">
    <script type="module" src="${assets}/app.js"></script>
    ${first.map((name) => `<link rel="modulepreload" href="${assets}/${name}">`).join('\n    ')}
  </head>
  <body>
    <div id="desk">${SKELETON}</div>
    <noscript>The desk requires JavaScript. The API is documented at <a href="${'../'.repeat(depth)}../../docs">/docs</a>.</noscript>
  </body>
</html>
`;
}
