/** Holds answers against the description that the service itself serves at `/openapi.json`. */

import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ENDPOINTS } from './endpoints.ts';

type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
type Operation = { readonly responses: Readonly<Record<string, Response>> };
type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, unknown>> };

type Answer = {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
};

/** Validators by what their schemas say: those of most answers are the same, whatever collections a service has. */
const compiled = new Map<string, ValidateFunction>();

/** Checks answers of one description. */
export class Described {
  readonly #api: Description;
  /** Made for the first schema that no other description has. */
  #ajv: Ajv2020 | undefined;
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #patterns: readonly { readonly path: string; readonly pattern: RegExp }[];

  constructor(api: Description) {
    this.#api = api;
    // Literal paths come before those with parameters, as they do for a client.
    this.#patterns = Object.keys(api.paths)
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => ({ path, pattern: patternOf(path) }));
  }

  /** Fails for a status, a media type or a body that the description does not tell of. */
  check({ method, url, status, contentType, text }: Answer): void {
    // No route has taken it: the path looks like one that is described, but can't be decoded.
    if (status === 404 && text.startsWith('{"detail":"This URL does not exist')) return;
    const asked = decoded(url.split('?')[0] ?? '');
    const path = this.#patterns.find(({ pattern }) => pattern.test(asked))?.path;
    // HEAD has no operations of its own. Where GET writes, it is a method like others that the path does not have.
    const described = method === 'HEAD' && status !== 405 ? 'get' : method.toLowerCase();
    const operation = path === undefined ? undefined : this.#api.paths[path]?.[described];
    const what = `${method} ${url} gave ${status}`;
    if (path === undefined || operation === undefined) {
      assert.ok(
        status < 200 || status >= 300 || isKnownUndescribed(method, url),
        `${what}, and is not described`,
      );
      return;
    }
    const place = `/paths/${escapeKey(path)}/${described}/responses/${status}`;
    const response = operation.responses[status];
    assert.ok(response, `${what}, which is not described: ${text.slice(0, 300)}`);
    const { at, content } = this.#resolve(place, response);
    if (content === undefined || method === 'HEAD') return;
    const mediaType = contentType?.split(';')[0] ?? '';
    assert.ok(mediaType in content, `${what} as ${mediaType}, which is not described`);
    if (mediaType !== 'application/json') return;
    const validate = this.#validator(`${at}/content/${escapeKey(mediaType)}/schema`);
    const valid = validate(JSON.parse(text));
    const errors = validate.errors?.map(({ instancePath, message }) => `data${instancePath} ${message}`);
    assert.ok(valid, `${what}: ${errors?.join(', ')}: ${text.slice(0, 300)}`);
  }

  /** Where a response really stands: many are shared components. */
  #resolve(place: string, response: Response): { at: string; content: Response['content'] } {
    if (response.$ref === undefined) return { at: place, content: response.content };
    const at = response.$ref.replace(/^#/, '');
    return this.#resolve(at, this.#found(at) as Response);
  }

  #found(place: string): unknown {
    let found: unknown = this.#api;
    for (const key of place.slice(1).split('/')) found = (found as Record<string, unknown>)[unescapeKey(key)];
    assert.ok(found !== undefined, `the description has nothing at ${place}`);
    return found;
  }

  #validator(place: string): ValidateFunction {
    const known = this.#validators.get(place);
    if (known) return known;
    const text = this.#textOf(place);
    const validator = compiled.get(text) ?? this.#compile(place);
    compiled.set(text, validator);
    this.#validators.set(place, validator);
    return validator;
  }

  #compile(place: string): ValidateFunction {
    if (!this.#ajv) {
      // Without the schema of schemas, which would be compiled for each service: a test of the description looks at it.
      this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
      addFormats.default(this.#ajv);
      this.#ajv.addSchema(this.#api, 'api');
    }
    const reference = place.split('/').map(encodeURIComponent).join('/');
    return this.#ajv.compile({ $ref: `api#${reference}` });
  }

  /** A schema and those that it refers to, in the order in which it does. */
  #textOf(place: string): string {
    const texts = new Map<string, string>();
    const add = (at: string) => {
      if (texts.has(at)) return;
      const text = JSON.stringify(this.#found(at));
      texts.set(at, text);
      for (const [, reference = ''] of text.matchAll(/"\$ref":"#([^"]*)"/g)) add(decoded(reference));
    };
    add(place);
    return [...texts.values()].join('\n');
  }
}

/** The description itself, its page, preflights, and an alias that only an old client uses. */
function isKnownUndescribed(method: string, url: string): boolean {
  return (
    method === 'OPTIONS' ||
    /^\/(docs|redoc|openapi\.json|-\/desk)/.test(url) ||
    /^\/[^/]+\/validate\/[^/]+$/.test(url)
  );
}

/** Parameters that are the rest of a path, with its slashes. */
const RESTS = new Set(ENDPOINTS.flatMap(({ path }) => /\{\+(\w+)\}$/.exec(path)?.[1] ?? []));

/** Names of collections may have slashes; other parameters are one segment. */
function patternOf(path: string): RegExp {
  const escaped = decoded(path).replace(/[.+?^$()|[\]\\*]/g, '\\$&');
  const named = escaped.replace(/\{collection\}|(?<=^\/collections\/)\{name\}/, '.*[^/]');
  const whole = named.replace(/\{(\w+)\}$/, (parameter, name) => (RESTS.has(name) ? '.+' : parameter));
  return new RegExp(`^${whole.replace(/\{\w+\}/g, '[^/]+')}$`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
