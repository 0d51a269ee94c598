/** Marks additions and removals by color, line and hidden word, and what is new by a dot. */
import { textParts } from '../../src/core/records/text-difference.ts';
import { t } from '../texts/texts.ts';
import type { Marked as MarkedText } from './records.ts';

export function Added({ text }: { text: string }) {
  return (
    <ins>
      <span class="vh">{t('mark.added')} </span>
      <bdi class="pre">{text}</bdi>
    </ins>
  );
}

export function Removed({ text }: { text: string }) {
  return (
    <del>
      <span class="vh">{t('mark.removed')} </span>
      <bdi class="pre">{text}</bdi>
    </del>
  );
}

/** A removed text; a replacement is set off from it by a space. */
function Struck({ text, spaced }: { text: string; spaced: boolean }) {
  return (
    <>
      <Removed text={text} />
      {spaced && !/\s$/.test(text) && ' '}
    </>
  );
}

/** Of strings with less in common, the whole is replaced. */
const LEAST_COMMON = 0.3;

/** Marks what distinguishes a string from another. */
export function Marked({ before, after }: { before: string; after: string }) {
  const parts = textParts(before, after);
  const common = parts.reduce((sum, part) => sum + (part.in === 'both' ? part.text.trim().length : 0), 0);
  if (common < LEAST_COMMON * Math.max(before.length, after.length))
    return (
      <span class="pre">
        {before !== '' && <Struck text={before} spaced={after !== ''} />}
        {after !== '' && <Added text={after} />}
      </span>
    );
  return (
    <span class="pre">
      {parts.map(({ in: side, text }, index) => {
        if (side === 'submitted') return <Added key={index} text={text} />;
        if (side === 'curated')
          return <Struck key={index} text={text} spaced={parts[index + 1]?.in === 'submitted'} />;
        return text;
      })}
    </span>
  );
}

/** A string with the words that were searched in it, if they are known. */
export function Found({
  text,
  marked,
  class: name,
}: {
  text: string;
  marked: MarkedText | null | undefined;
  class?: string;
}) {
  if (marked?.text !== text) return <bdi class={name}>{text}</bdi>;
  const parts = marked.marks.flatMap(([start, end], index) => [
    text.slice(marked.marks[index - 1]?.[1] ?? 0, start),
    <mark key={start}>{text.slice(start, end)}</mark>,
  ]);
  return (
    <bdi class={name}>
      {parts}
      {text.slice(marked.marks.at(-1)?.[1] ?? 0)}
    </bdi>
  );
}

/** Marks something that is new. */
export function NewMark() {
  return (
    <span class="unseen">
      <span class="vh">{t('mark.new')}</span>
    </span>
  );
}
