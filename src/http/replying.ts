/** Rows that enter, read their parameters and their body, and call one method: the way of every request. */
import { JsonText } from '../json.ts';
import { jsonBody } from './body.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { jsonContent } from './endpoints/schemas.ts';
import type { Parameters, ValuesOf } from './parameter.ts';
import { parametersOf } from './query.ts';
import { sendJson } from './reply.ts';
import type { FromSchema } from './schema-types.ts';

/** Who is let in, and to what. */
type Enter<E> = (call: Call) => E | Promise<E>;

/**
 * The parameters of a row and its handler. The result of `answer` is sent as JSON, a {@link JsonText} as it is; it returns the reply
 * if it has sent something else. To wait for a reply is to wait until it is sent, and gives nothing.
 */
export function replying<E, P extends Parameters>(
  enter: Enter<E>,
  query: P,
  answer: (entered: E, parameters: ValuesOf<P>, call: Call) => unknown,
): Pick<Endpoint, 'query' | 'handle'> {
  return {
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

/** The same for a row with a body. */
export function replyingTo<E, P extends Parameters, const S extends object>(
  enter: Enter<E>,
  query: P,
  { schema, example, ...rest }: TakenBody<S>,
  answer: (entered: E, body: FromSchema<S>, parameters: ValuesOf<P>, call: Call) => unknown,
): Pick<Endpoint, 'query' | 'body' | 'handle'> {
  return {
    ...replying(enter, query, async (entered, parameters, call) =>
      answer(entered, await jsonBody<FromSchema<S>>(call), parameters, call),
    ),
    body: { content: jsonContent(schema, example), ...rest },
  };
}
