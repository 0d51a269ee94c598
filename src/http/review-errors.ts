/** Refusals of review: `detail` is a list whose first entry names the code, and says what has happened meanwhile. */
import { ServiceError } from '../errors.ts';
import { Refusal } from '../review/words.ts';
import type { Handler } from './endpoint.ts';
import { detailOf, STATUS_OF_CODE, sendError } from './reply.ts';

/** A row whose refusals have that form. */
export function reviewing<R extends { readonly handle: Handler }>(row: R): R {
  const handle: Handler = async (call) => {
    try {
      return await row.handle(call);
    } catch (error) {
      if (!(error instanceof ServiceError) || STATUS_OF_CODE[error.code] === 500) throw error;
      const { status, ...body } = refusalOf(error);
      return sendError(call.reply, error.code, body, status);
    }
  };
  return { ...row, handle };
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
