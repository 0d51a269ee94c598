/**
 * Keeps the last answers of the service that forms need: the user, and classes. They are kept on this device beside drafts,
 * which continue with them while the service is away, and go with the last draft or when the user signs out.
 */
const KEY = 'accession.answers';
const ME = /\/-\/me$/;
const NEEDED = /\/-\/(me|[^/]+\/classes(\/[^/]+)?)$/;

/** By URL. */
const answers = new Map<string, string>(Object.entries(JSON.parse(localStorage.getItem(KEY) ?? '{}')));

/** Notes an answer if forms need it. Those to another user are forgotten. */
export async function noteContent(url: string, response: Response): Promise<void> {
  if (!NEEDED.test(url)) return;
  const text = await response.clone().text();
  if (ME.test(url) && userIn(answers.get(url)) !== userIn(text)) forgetAnswers();
  answers.set(url, text);
}

function userIn(text = '{}'): unknown {
  return JSON.parse(text).user_id;
}

/** The last answer of the service. */
export function knownAnswer(url: string): Response | undefined {
  const text = answers.get(url);
  return text === undefined
    ? undefined
    : new Response(text, { headers: { 'content-type': 'application/json' } });
}

/** Keeps the answers for other visits, if the storage has room. */
export function keepAnswers(): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(answers)));
  } catch {
    // The drafts matter more: they are continued when the service is there.
  }
}

/** Removes what was kept; this visit still has it. */
export function discardAnswers(): void {
  localStorage.removeItem(KEY);
}

export function forgetAnswers(): void {
  answers.clear();
  discardAnswers();
}
