/** The page of the documentation about the desk, at the part about the view that help was asked for in. */
import { useEffect } from 'preact/hooks';
import english from '../../docs/desk.md';
import { place } from '../shared/router.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { language, t } from '../texts/texts.ts';
import german from './desk.de.md';
import { blocksOf, headingsOf, idOf, inlinesOf } from './markdown.ts';

/** The parts of the page, which are called so in links whatever its language. */
const IDS = headingsOf(english).map(idOf);

export function Help() {
  const page = language.value === 'de' ? german : english;
  const headings = headingsOf(page);
  const about = place.value.query.get('about') ?? '';
  useEffect(() => {
    const heading = document.getElementById(about);
    heading?.scrollIntoView({ block: 'start' });
    heading?.focus({ preventScroll: true });
  }, [about]);
  return (
    <Sheets>
      <MainSheet title={t('help.title')}>
        <div class="page narrow prose">
          {blocksOf(page).map((block, index) => {
            if (block.kind === 'heading')
              return (
                <h2 key={index} id={IDS[headings.indexOf(block.text)]} tabIndex={-1}>
                  {block.text}
                </h2>
              );
            if (block.kind === 'list')
              return (
                <ul key={index} class="bullets">
                  {block.items.map((item) => (
                    <li key={item}>
                      <Inline text={item} />
                    </li>
                  ))}
                </ul>
              );
            if (block.kind === 'table')
              return (
                <table key={index} class="inner">
                  <thead>
                    <tr>
                      {block.head.map((cell) => (
                        <th key={cell} scope="col">
                          <Inline text={cell} />
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {block.rows.map((cells) => (
                      <tr key={cells.join()}>
                        {cells.map((cell, column) => (
                          <td key={column}>
                            <Inline text={cell} />
                          </td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              );
            return (
              <p key={index}>
                <Inline text={block.text} />
              </p>
            );
          })}
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** Links to other pages are their text: these pages are not in the desk. */
function Inline({ text }: { text: string }) {
  return (
    <>
      {inlinesOf(text).map(({ kind, text: words }, index) =>
        kind === 'code' ? (
          <code key={index}>{words}</code>
        ) : kind === 'emphasis' ? (
          <em key={index}>{words}</em>
        ) : (
          words
        ),
      )}
    </>
  );
}
