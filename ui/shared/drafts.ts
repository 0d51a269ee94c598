/** Drafts: what was typed and not yet sent, in `localStorage` of this browser: closing the tab does not lose them. */
import { type JsonObject, parseJson } from './json.ts';
import { discardAnswers, keepAnswers } from './kept-answers.ts';
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
  /** The message to curators. */
  readonly message?: string | undefined;
  readonly time: string;
};

const PREFIX = 'accession.draft:';
/** How long a draft is kept that nothing is done with. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Drafts belong to the token that they were typed with. */
function keyOf(href: string): string {
  return `${PREFIX}${session.me.peek()?.user_id ?? ''}:${href}`;
}

/** @returns whether the draft is stored */
export function keepDraft(draft: Draft): boolean {
  try {
    localStorage.setItem(keyOf(draft.href), JSON.stringify(draft));
    keepAnswers();
    return true;
  } catch {
    return false;
  }
}

export function readDraft(href: string): Draft | undefined {
  return drafts().find((draft) => draft.href === href);
}

export function discardDraft(href: string): void {
  localStorage.removeItem(keyOf(href));
  if (!Object.keys(localStorage).some((key) => key.startsWith(PREFIX))) discardAnswers();
}

/** The drafts of this user, newest first. */
export function drafts(): Draft[] {
  const prefix = keyOf('');
  const oldest = new Date(Date.now() - KEPT_MS).toISOString();
  const all = Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => parseJson(localStorage.getItem(key) ?? 'null') as unknown as Draft);
  for (const { href, time } of all) if (time < oldest) discardDraft(href);
  return all.filter(({ time }) => time >= oldest).sort((a, b) => b.time.localeCompare(a.time));
}

/** Keeps a draft of a new record under a URL of its own, so that another one of the class can be begun. */
export function setDraftAside(href: string): void {
  const draft = readDraft(href);
  if (!draft) return;
  const url = new URL(href, location.href);
  url.searchParams.set('draft', draft.time);
  if (keepDraft({ ...draft, href: url.pathname + url.search })) discardDraft(href);
}
