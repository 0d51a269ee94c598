/** Refusals of review: `detail` is a list whose first entry names the code, and says what has happened meanwhile. */
import { ServiceError } from '../errors.ts';
import { Refusal } from '../review/refusal.ts';
import type { Handler } from './endpoint.ts';
import { detailOf, STATUS_OF_CODE, sayWhenToRetry, sendJson } from './reply.ts';

/** A handler whose refusals have that form. */
export function reviewing(handle: Handler): Handler {
  return async (call) => {
    try {
      return await handle(call);
    } catch (error) {
      if (!(error instanceof ServiceError) || STATUS_OF_CODE[error.code] === 500) throw error;
      const { status, ...body } = refusalOf(error);
      sayWhenToRetry(error, call.reply);
      return sendJson(call.reply.code(status), JSON.stringify(body));
    }
  };
}

/** The status and the body of a refusal. */
export function refusalOf(error: ServiceError): { readonly status: number; readonly detail: object[] } {
  const { code, message } = error;
  const problems = detailOf(error);
  const list = typeof problems === 'string' ? [] : problems;
  const sentence = message.endsWith('.') ? message : `${message}.`;
  const detail = list[0]?.type === code ? list : [{ type: code, loc: [], msg: sentence }, ...list];
  return { ...(error instanceof Refusal ? error.explanation : {}), status: STATUS_OF_CODE[code], detail };
}
