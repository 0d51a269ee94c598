/**
 * Answers for the service while it is away, with the files of the desk as they were at the last visit: so it opens, and drafts are
 * continued. Whatever the service answers is used as it is, and another release replaces the files. Data is never kept here.
 */

/** Set by `scripts/build-ui.ts`: the names of the assets, and a digest of them. */
declare const ASSETS: readonly string[];
declare const RELEASE: string;

type Work = Event & { waitUntil(work: Promise<unknown>): void };
type FetchEvent = Event & { readonly request: Request; respondWith(answer: Promise<Response>): void };
/** TypeScript has types of pages or of workers. */
const worker = self as unknown as EventTarget & {
  readonly registration: { readonly scope: string };
  skipWaiting(): Promise<void>;
};

const { scope } = worker.registration;
const PREFIX = `accession.desk:${scope}:`;
const NAME = PREFIX + RELEASE;
/** A proxy answers so while the service behind it is away. */
const OF_PROXIES = [502, 504];

worker.addEventListener('install', (event) => {
  (event as Work).waitUntil(install());
});

async function install(): Promise<void> {
  const cache = await caches.open(NAME);
  await cache.addAll([scope, ...['icon.svg', ...ASSETS].map((name) => `${scope}assets/${name}`)]);
  await worker.skipWaiting();
}

worker.addEventListener('activate', (event) => {
  (event as Work).waitUntil(removeFormer());
});

async function removeFormer(): Promise<void> {
  const names = await caches.keys();
  const former = names.filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(former.map((name) => caches.delete(name)));
}

worker.addEventListener('fetch', (event) => {
  const asked = event as FetchEvent;
  const { method, url } = asked.request;
  if (method === 'GET' && url.startsWith(scope)) asked.respondWith(answer(asked.request));
});

async function answer(request: Request): Promise<Response> {
  const response = await fetch(request).catch(() => undefined);
  if (response && !OF_PROXIES.includes(response.status)) return response;
  const path = new URL(request.url).pathname.slice(new URL(scope).pathname.length);
  const cache = await caches.open(NAME);
  const kept = path.startsWith('assets/') ? await cache.match(scope + path) : await pageAt(path, cache);
  return kept ?? response ?? Response.error();
}

/** The page refers to its assets by relative URLs. */
async function pageAt(path: string, cache: Cache): Promise<Response | undefined> {
  const kept = await cache.match(scope);
  if (!kept) return undefined;
  const up = '../'.repeat(path.split('/').length - 1);
  const text = (await kept.text()).replaceAll('"assets/', `"${up}assets/`);
  return new Response(text, { headers: kept.headers });
}
