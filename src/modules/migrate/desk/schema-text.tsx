/** The text of a schema in its editor, which is loaded with it, and what is wrong with the text below. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useFetched } from '../../../../ui/shared/fetched.ts';
import { Loading } from '../../../../ui/shared/notes.tsx';
import { StateMark } from '../../../../ui/shared/state.tsx';
import type { SchemaEditor } from './schema-editor.ts';
import type { SchemaFault } from './schema-faults.ts';
import { ts } from './texts.ts';

const fetchEditor = () => import('./schema-editor.ts').then(({ openSchemaEditor }) => openSchemaEditor);

export function SchemaText({
  text,
  loaded,
  faults,
  onText,
}: {
  text: string;
  /** Another value when the text is another one that was not typed. What is typed may be behind the editor by a letter. */
  loaded: number;
  faults: readonly SchemaFault[];
  onText: (text: string) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ text, onText });
  latest.current = { text, onText };
  const [editor, setEditor] = useState<SchemaEditor>();
  const { part: openEditor, error, reload } = useFetched('schema editor', fetchEditor);
  useEffect(() => {
    if (!openEditor) return undefined;
    const opened = openEditor(host.current!, {
      text: latest.current.text,
      label: ts('text'),
      onText: (typed) => latest.current.onText(typed),
    });
    setEditor(opened);
    return () => opened.close();
  }, [openEditor]);
  useEffect(() => editor?.setText(latest.current.text), [editor, loaded]);
  useEffect(() => editor?.setFaults(faults), [editor, faults]);
  return (
    <div class="field">
      <span class="label" aria-hidden="true">
        {ts('text')}
      </span>
      {!editor && <Loading error={error} retry={reload} />}
      {/* Keys that are pressed in the editor are none of the view. */}
      <div class="schema-text" ref={host} data-fields hidden={!editor} />
      <p class="help">{ts('textHelp')}</p>
      {faults.length > 0 && (
        <div class="note st-rejected" role="alert">
          <StateMark name="rejected" />
          <div>
            <p class="strong" tabIndex={-1} id="schema-faults">
              {ts('refused')}
            </p>
            <ul class="stack-s">
              {faults.map(({ message, line, more }) => (
                <li key={message}>
                  {line !== undefined && (
                    <button type="button" class="btn small" onClick={() => editor?.goTo(line)}>
                      {ts('line', { n: line })}
                    </button>
                  )}{' '}
                  {message} {more > 0 && <span class="muted">{ts('likeIt', { n: more })}</span>}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
    </div>
  );
}
