/** Drafts: what was typed and not yet sent, in `sessionStorage` of this tab. */
import { type JsonObject, parseJson } from './json.ts';
import { session } from './session.ts';

export type Draft = {
  /** The place of the form. */
  readonly href: string;
  readonly title: string;
  readonly className: string;
  readonly record: JsonObject;
  /** The record that the draft was begun from, and its entity tag; none for a new record. */
  readonly base?: JsonObject | undefined;
  readonly etag: string | null;
  readonly time: string;
};

const PREFIX = 'accession.draft:';

/** Drafts belong to the token that they were typed with. */
function keyOf(href: string): string {
  return `${PREFIX}${session.me.peek()?.user_id ?? ''}:${href}`;
}

/** @returns whether the draft is stored */
export function keepDraft(draft: Draft): boolean {
  try {
    sessionStorage.setItem(keyOf(draft.href), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function readDraft(href: string): Draft | undefined {
  const text = sessionStorage.getItem(keyOf(href));
  return text === null ? undefined : (parseJson(text) as unknown as Draft);
}

export function discardDraft(href: string): void {
  sessionStorage.removeItem(keyOf(href));
}

/** The drafts of this user, newest first. */
export function drafts(): Draft[] {
  const prefix = keyOf('');
  return Object.keys(sessionStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => parseJson(sessionStorage.getItem(key) ?? 'null') as unknown as Draft)
    .sort((a, b) => b.time.localeCompare(a.time));
}
