/** Rows that enter, read their parameters and their body, and call one method: the way of every request. */

import type { FastifyReply } from 'fastify';
import { JsonText } from '#linkml/json.ts';
import { jsonBody } from './body.ts';
import type { Call, DeclaredNeed, Endpoint, ExtendedRead, ReadExtension } from './endpoint.ts';
import { jsonContent } from './endpoints/schemas.ts';
import { type Enter, type EnteredArea, enterArea } from './enter.ts';
import type { Parameters, ValuesOf } from './parameter.ts';
import { parametersOf, type Query } from './query.ts';
import { sendJson } from './reply.ts';
import type { FromSchema } from './schema-types.ts';

/** What `enter` and `handle` determine of a row. */
type Replying<N> = Pick<Endpoint, 'query' | 'handle'> & { readonly need: N };

/**
 * The parameters of a row, its need and its handler. The result of `answer` is sent as JSON, a {@link JsonText} as it is; it returns the reply
 * if it has sent something else. To wait for a reply is to wait until it is sent, and gives nothing.
 */
export function replying<E, N extends DeclaredNeed, P extends Parameters>(
  enter: Enter<E, N>,
  query: P,
  answer: (entered: Awaited<E>, parameters: ValuesOf<P>, call: Call) => unknown,
): Replying<N> {
  return {
    need: enter.need,
    ...(Object.keys(query).length > 0 && { query }),
    async handle(call) {
      const entered = await enter(call);
      const found = await answer(entered, parametersOf(call, query), call);
      if (found === undefined) return call.reply;
      return sendJson(call.reply, found instanceof JsonText ? found.text : JSON.stringify(found));
    },
  };
}

/** A body of JSON: its schema, an example, the most bytes that it may have, and whether none is an empty object. */
type TakenBody<S> = {
  readonly schema: S;
  readonly example: object;
  readonly limit?: number;
  readonly optional?: true;
};

/** The members of a row with a JSON body: enters, reads the parameters and the body, and sends what `answer` returns. */
export function replyingTo<E, N extends DeclaredNeed, P extends Parameters, const S extends object>(
  enter: Enter<E, N>,
  query: P,
  { schema, example, ...rest }: TakenBody<S>,
  answer: (entered: Awaited<E>, body: FromSchema<S>, parameters: ValuesOf<P>, call: Call) => unknown,
): Replying<N> & Pick<Endpoint, 'body'> {
  return {
    ...replying(enter, query, async (entered, parameters, call) =>
      answer(entered, await jsonBody<FromSchema<S>>(call), parameters, call),
    ),
    body: { content: jsonContent(schema, example), ...rest },
  };
}

/**
 * A read with further parameters. `answer` returns nothing if these ask for nothing: then the row answers as without them.
 */
export function extendedRead<P extends Parameters>(
  query: P,
  answer: (entered: EnteredArea, parameters: ValuesOf<P>, call: Call) => Promise<FastifyReply> | undefined,
): Pick<ExtendedRead, 'query' | 'handle'> {
  return {
    query,
    async handle(call, plain) {
      const entered = await enterArea(call);
      const answered = answer(entered, parametersOf(call, query), call);
      if (!answered) return plain(call);
      // See `replying`.
      await answered;
      return call.reply;
    },
  };
}

/** A row with the parameters that modules add to reads. */
export function withExtensions(endpoint: Endpoint, extensions: readonly ReadExtension[]): Endpoint {
  let extended = endpoint;
  for (const extension of endpoint.reads === undefined ? [] : extensions)
    extended = withExtension(extended, extension[endpoint.reads!]);
  return extended;
}

function withExtension(row: Endpoint, { query, answers, handle }: ExtendedRead): Endpoint {
  const further = Object.keys(query).filter((name) => !Object.hasOwn(row.query ?? {}, name));
  return {
    ...row,
    query: { ...row.query, ...query },
    answers: { ...row.answers, ...answers },
    handle: (call) =>
      further.some((name) => Object.hasOwn(call.request.query as Query, name))
        ? handle(call, row.handle)
        : row.handle(call),
  };
}
