/**
 * `/docs`: the interactive documentation, Swagger UI, all of it served by us. The page may fetch from nowhere else:
 * its content security policy says so. Addresses are relative, so that it works behind a proxy's path, too.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../errors.ts';
import { contentPolicy } from './content-policy.ts';
import { type Call, inPath } from './endpoint.ts';
import { sendTagged } from './etag.ts';

const POLICY = contentPolicy(
  ...["script-src 'self'", "font-src 'self'", "connect-src 'self'"],
  // Swagger UI sets styles on its elements, and has its icons as data.
  ...["style-src 'self' 'unsafe-inline'", "img-src 'self' data:"],
);

const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Accession: API documentation</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/page.css">
  </head>
  <body>
    <div id="ui"></div>
    <noscript>This page needs JavaScript. The description itself is at <a href="openapi.json">openapi.json</a>.</noscript>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/page.js"></script>
  </body>
</html>
`;

/** `/docs?collection=<name>` shows the document of the collection. */
const SCRIPT = `const collection = new URLSearchParams(location.search).get('collection');
const path = collection ? '-/' + encodeURIComponent(collection) + '/openapi.json' : 'openapi.json';
SwaggerUIBundle({
  url: new URL(path, document.baseURI).href,
  dom_id: '#ui',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** Small screens: what Swagger UI lays out side by side is stacked. */
const STYLE = `body { margin: 0; background: #fff; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .wrapper { box-sizing: border-box; }
@media (max-width: 640px) {
  .swagger-ui .wrapper, .swagger-ui .info { padding: 0 10px; overflow-wrap: anywhere; }
  .swagger-ui .scheme-container { padding: 12px 0; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; flex: 1 1 60%; }
  .swagger-ui .opblock .opblock-summary-description { flex: 1 1 100%; padding: 2px 8px; }
  .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; padding: 8px 10px; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; font-size: 18px; }
  .swagger-ui .opblock-tag small { flex: 1 1 100%; padding: 0; }
  .swagger-ui .parameters-container, .swagger-ui .responses-inner, .swagger-ui .execute-wrapper { padding: 10px; }
  .swagger-ui table, .swagger-ui tbody, .swagger-ui tr, .swagger-ui td { display: block; width: auto; }
  .swagger-ui table thead { display: none; }
  .swagger-ui table tbody tr td { min-width: 0; max-width: none; padding: 6px 0; }
  .swagger-ui input, .swagger-ui select, .swagger-ui textarea { box-sizing: border-box; max-width: 100%; min-width: 0; }
  .swagger-ui .parameters-col_description input { width: 100%; max-width: none; }
  .swagger-ui .dialog-ux .modal-ux { width: 94%; min-width: 0; }
  .swagger-ui .highlight-code, .swagger-ui pre { max-width: 100%; overflow-x: auto; }
}
`;

/**
 * Swagger UI's files: a package has copies of them (`scripts/build.ts`), a checkout those of a development dependency.
 * The npm package `swagger-ui-dist` itself reports every installation to its makers.
 */
const packaged = join(import.meta.dirname, 'swagger-ui');
const swaggerUi = existsSync(packaged)
  ? packaged
  : join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')), 'static');

/** Name → media type and content. */
const ASSETS: Readonly<
  Record<string, readonly [mediaType: string, content: () => Promise<string | Buffer>]>
> = {
  'page.js': ['text/javascript; charset=utf-8', async () => SCRIPT],
  'page.css': ['text/css; charset=utf-8', async () => STYLE],
  'swagger-ui.css': ['text/css; charset=utf-8', () => readFile(join(swaggerUi, 'swagger-ui.css'))],
  'swagger-ui-bundle.js': [
    'text/javascript; charset=utf-8',
    () => readFile(join(swaggerUi, 'swagger-ui-bundle.js')),
  ],
  'favicon-32x32.png': ['image/png', () => readFile(join(swaggerUi, 'favicon-32x32.png'))],
};

/** `GET /docs` */
export async function docsPage({ reply }: Call): Promise<FastifyReply> {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer')
    .send(DOCS_PAGE);
}

/** `GET /docs/:asset` */
export async function docsAsset(call: Call): Promise<FastifyReply> {
  const asset = inPath(call, 'asset');
  const entry = Object.hasOwn(ASSETS, asset) ? ASSETS[asset] : undefined;
  if (!entry) throw new ServiceError('route_unknown', 'This URL does not exist.');
  const [mediaType, read] = entry;
  return sendTagged(call, mediaType, await read());
}
