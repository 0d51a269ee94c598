/** What was added and removed, marked by color, line and hidden word. */
import { compareWords } from '../base/words.ts';
import { t } from '../texts/texts.ts';

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

/** Marks what distinguishes a string from another. */
export function Marked({ before, after }: { before: string; after: string }) {
  const pieces = compareWords(before, after);
  return (
    <span class="pre">
      {pieces.map(({ kind, text }, index) => {
        if (kind === 'added') return <Added key={index} text={text} />;
        if (kind === 'removed')
          return <Struck key={index} text={text} spaced={pieces[index + 1]?.kind === 'added'} />;
        return text;
      })}
    </span>
  );
}
