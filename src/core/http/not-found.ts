/** Requests that no route takes: a slash too many or too few, another method, or nothing at all. */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ServiceError } from '../errors.ts';
import { originOf } from './origin.ts';

/** Remembers the routes of a server as they are added. */
export class RouteTable {
  readonly #routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  add({ url, method }: Pick<RouteOptions, 'url' | 'method'>): void {
    const route = this.#routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    this.#routes.set(url, route);
    for (const one of [method].flat()) route.methods.add(one);
  }

  /** The methods of the routes for a path that have the most literal segments; empty for an unknown path. */
  methodsOf(path: string): string[] {
    const found = [...this.#routes].filter(([, { pattern }]) => pattern.test(path));
    const most = Math.max(...found.map(([url]) => literalsIn(url)));
    const nearest = found.filter(([url]) => literalsIn(url) === most);
    return [...new Set(nearest.flatMap(([, { methods }]) => [...methods]))].sort();
  }
}

const literalsIn = (url: string) => url.split('/').filter((segment) => !segment.startsWith(':')).length;

/**
 * A path with `:parameters`, each of which matches one non-empty segment, or several if it is the name of a
 * collection, which do not begin with `-/`; `*` matches any rest.
 */
function patternOf(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*');
  const named = escaped.replace(/:collection|(?<=^\/collections\/):name/, '(?!-/).*[^/]');
  return new RegExp(`^${named.replace(/:\w+/g, '[^/]+')}$`);
}

/**
 * Answers what no route takes (specification 7, gap): 404 if a name has slashes and does not exist; 405 with the methods that the path has; 307 to the path with or without
 * a slash at its end, whichever exists; else 404.
 */
export function answerNotFound(routes: RouteTable, rootPath: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [path = '', query] = splitOnce(request.url, '?');
    const methods = routes.methodsOf(path);
    if (methods.includes(request.method))
      throw new ServiceError(
        'collection_unknown',
        'The path names no collection that exists. /server lists them.',
      );
    if (methods.length > 0) {
      reply.header('allow', methods.join(', '));
      throw new ServiceError(
        'method_not_allowed',
        `The method ${request.method} is not supported here, expected ${methods.join(' or ')}.`,
      );
    }
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    if (routes.methodsOf(other).length > 0) {
      const target = query === undefined ? other : `${other}?${query}`;
      return reply.redirect(`${originOf({ request, service: { rootPath } })}${target}`, 307);
    }
    throw new ServiceError('route_unknown', 'This URL does not exist. /docs lists all endpoints.');
  };
}

/** The router accepts empty parameters, but a path like `/tokens/` does not name a token. */
export function withoutEmptyParameters(notFound: ReturnType<typeof answerNotFound>) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    // At once: the framework has rules of its own for the bodies of some methods.
    if (request.is404) return void notFound(request, reply).catch(done);
    const parameters = request.params as Record<string, string> | undefined;
    for (const name in parameters) {
      if (parameters[name] === '') return void notFound(request, reply).catch(done);
    }
    done();
  };
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
