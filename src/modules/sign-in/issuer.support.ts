/**
 * A real issuer for tests: `oidc-provider` on a port of this machine. It signs people in without asking them, and can be told to send
 * other ID tokens than it would.
 */
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as jose from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { freePort } from '../../../test/support/free-port.ts';

export type Claims = Readonly<Record<string, unknown>>;

export const CLIENT = { id: 'accession', secret: 'client-secret-of-the-tests' };

export type TestIssuer = {
  readonly url: string;
  /** The claims of accounts by their subjects. */
  readonly accounts: Map<string, Claims>;
  /** Who signs in next. */
  account: string;
  /** Whether the issuer asks people to press a button, as a browser shows. */
  interactive: boolean;
  /** Changes the ID tokens of the next sign-ins. */
  tamper: ((token: string) => Promise<string> | string) | undefined;
  /** Signs a token with the key of the issuer. */
  sign(claims: Claims, header?: object): Promise<string>;
  /** The requests that it got, as method and path. */
  readonly requests: string[];
  /** Adds URLs that it sends people back to, exactly. */
  allow(...urls: string[]): void;
  /** Starts again with other keys, and has forgotten all sessions. */
  rotate(): Promise<void>;
  /** Ends all that it gave to clients, as when an account is closed. */
  stop(): Promise<void>;
  start(): Promise<void>;
};

type Cleanup = { after(work: () => Promise<void>): void };

/** @param redirects where the service takes people back, exactly */
export async function startIssuer(t: Cleanup, redirects: readonly string[] = []): Promise<TestIssuer> {
  let server: Server | undefined;
  const port = await freePort();
  let key = newKey();
  let provider: Provider;
  const accounts = new Map<string, Claims>();
  const requests: string[] = [];
  const callbacks = [...redirects];

  const issuer = {
    url: `http://127.0.0.1:${port}`,
    accounts,
    requests,
    account: '',
    interactive: false,
    tamper: undefined as TestIssuer['tamper'],
    async sign(claims: Claims, header: object = {}) {
      const signer = new jose.SignJWT({ iss: issuer.url, ...claims });
      const signing = await jose.importJWK(key as jose.JWK, 'RS256');
      return signer
        .setProtectedHeader({ alg: 'RS256', kid: key.kid as string, ...header })
        .sign(signing as jose.CryptoKey);
    },
    async start() {
      server = createServer((request, response) => void answer(request, response));
      await new Promise<void>((done) => server!.listen(port, '127.0.0.1', done));
      provider = new Provider(issuer.url, configurationOf(key, accounts, callbacks));
    },
    async stop() {
      server?.closeAllConnections();
      await new Promise((done) => (server ? server.close(done) : done(undefined)));
      server = undefined;
    },
    allow(...urls: string[]) {
      callbacks.push(...urls);
      provider = new Provider(issuer.url, configurationOf(key, accounts, callbacks));
    },
    async rotate() {
      key = newKey();
      provider = new Provider(issuer.url, configurationOf(key, accounts, callbacks));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]!;
    requests.push(`${request.method} ${path}`);
    if (path.startsWith('/interaction/')) return interact(request, response);
    if (path !== '/token' || !issuer.tamper) return provider.callback()(request, response);
    const { end, write } = response;
    const chunks: Buffer[] = [];
    response.write = ((chunk: Buffer) => chunks.push(Buffer.from(chunk)) > 0) as typeof write;
    response.end = ((chunk?: Buffer) => {
      if (chunk) chunks.push(Buffer.from(chunk));
      void tampered(Buffer.concat(chunks).toString()).then((text) => {
        response.removeHeader('content-length');
        response.write = write;
        end.call(response, text, 'utf8');
      });
      return response;
    }) as typeof end;
    return provider.callback()(request, response);
  }

  async function tampered(text: string): Promise<string> {
    const body = JSON.parse(text) as { id_token?: string };
    if (body.id_token === undefined || !issuer.tamper) return text;
    return JSON.stringify({ ...body, id_token: await issuer.tamper(body.id_token) });
  }

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (issuer.interactive && request.method === 'GET') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><html lang="en"><title>Institute</title><form method="post"><button autofocus>Continue</button></form></html>`,
      );
      return;
    }
    const { params, session } = await provider.interactionDetails(request, response);
    const accountId = session?.accountId ?? issuer.account;
    const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    const result = { login: { accountId }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  await issuer.start();
  t.after(() => issuer.stop());
  return issuer;
}

function newKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = Math.random().toString(36).slice(2);
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } as JsonWebKey;
}

function configurationOf(
  key: JsonWebKey,
  accounts: ReadonlyMap<string, Claims>,
  redirects: readonly string[],
): Configuration {
  return {
    jwks: { keys: [key as never] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: redirects.length > 0 ? [...redirects] : ['http://127.0.0.1/unknown'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
      {
        client_id: 'public',
        token_endpoint_auth_method: 'none',
        redirect_uris: redirects.length > 0 ? [...redirects] : ['http://127.0.0.1/unknown'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    scopes: ['openid', 'offline_access', 'profile', 'email'],
    claims: {
      openid: ['sub'],
      email: ['email'],
      profile: ['name', 'given_name', 'family_name', 'preferred_username', 'groups', 'realm_access', 'orcid'],
    },
    findAccount: (_, subject) => {
      const claims = accounts.get(subject);
      if (!claims) return undefined;
      return { accountId: subject, claims: async () => ({ sub: subject, ...claims }) };
    },
    issueRefreshToken: async (_, client, code) =>
      client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    pkce: { required: () => true },
    cookies: { keys: ['only-for-tests'] },
    ttl: {
      AccessToken: 600,
      IdToken: 600,
      Session: 600,
      Interaction: 600,
      Grant: 30 * 86_400,
      RefreshToken: 30 * 86_400,
    },
  };
}

/** A browser without pages: cookies by host, and redirects one by one. */
export class TestBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #service: (url: URL, headers: Record<string, string>, method: string) => Promise<BrowserAnswer>;
  readonly #origin: string;
  /** The URLs that it has been at. */
  readonly visited: string[] = [];

  /** @param service answers for an origin */
  constructor(
    origin: string,
    service: (url: URL, headers: Record<string, string>, method: string) => Promise<BrowserAnswer>,
  ) {
    this.#origin = origin;
    this.#service = service;
  }

  /** Sends a form, with the hidden fields of the page that it is on. */
  submit(address: string, page: string, fields: Record<string, string>): Promise<BrowserAnswer> {
    const hidden = [...page.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
      /name="([^"]*)"/.exec(input)?.[1] ?? '',
      (/value="([^"]*)"/.exec(input)?.[1] ?? '').replaceAll('&amp;', '&').replaceAll('&#43;', '+'),
    ]);
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }).toString();
    return this.send(address, 'POST', { 'content-type': 'application/x-www-form-urlencoded' }, body);
  }

  /** One request with the cookies of its host. */
  async send(
    address: string,
    method = 'GET',
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<BrowserAnswer> {
    const url = new URL(address, this.#origin);
    this.visited.push(url.href);
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, jar);
    const all = {
      accept: 'application/json',
      ...(jar.size > 0 && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
      ...headers,
    };
    const answer =
      url.origin === this.#origin
        ? await this.#service(url, all, method)
        : await sendOver(url, all, method, body);
    for (const one of answer.cookies) {
      const [pair = '', ...attributes] = one.split('; ');
      const at = pair.indexOf('=');
      const isGone = attributes.some((attribute) => /^max-age=0$|^expires=.*1970/i.test(attribute));
      if (isGone) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  }

  /** Follows redirects, until there is none or one leads to a URL that is to be stopped at. */
  async follow(
    address: string,
    until: (url: string) => boolean = () => false,
  ): Promise<BrowserAnswer & { url: string }> {
    let url = new URL(address, this.#origin).href;
    for (let hops = 0; hops < 12; hops++) {
      if (until(url)) return { status: 0, location: undefined, cookies: [], text: '', url };
      const answer = await this.send(url);
      if (answer.location === undefined) return { ...answer, url };
      url = new URL(answer.location, url).href;
    }
    throw new Error(`redirects without an end at ${url}`);
  }

  cookieNames(): string[] {
    return [...this.#cookies.values()].flatMap((jar) => [...jar.keys()]);
  }

  /** The cookies of a host, as another browser could have stolen them. */
  cookiesOf(address: string): Map<string, string> {
    return this.#cookies.get(new URL(address).host) ?? new Map();
  }
}

type BrowserAnswer = {
  readonly status: number;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
  readonly text: string;
};

async function sendOver(
  url: URL,
  headers: Record<string, string>,
  method: string,
  body?: string,
): Promise<BrowserAnswer> {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  });
  return {
    status: response.status,
    location: response.headers.get('location') ?? undefined,
    cookies: response.headers.getSetCookie(),
    text: await response.text(),
  };
}
