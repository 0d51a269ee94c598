/**
 * The editor of schemas: YAML with the numbers of its lines, faults at their lines, and names that complete what is typed. It is
 * in a shadow tree, since the desk permits no styles but those of its files and constructed ones.
 */
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { SchemaFault } from './schema-faults.ts';
import { namesAt, namesIn } from './schema-names.ts';

export type SchemaEditor = {
  /** Sets the text, unless it is the one that was typed. */
  setText(text: string): void;
  setFaults(faults: readonly SchemaFault[]): void;
  /** Moves the cursor to a line, and the focus to the editor. */
  goTo(line: number): void;
  close(): void;
};

const style = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--ink)', fontWeight: '600' },
  { tag: tags.comment, color: 'var(--ink-3)' },
  { tag: [tags.string, tags.content], color: 'var(--ink-2)' },
]);

const theme = EditorView.theme({
  '&': { fontSize: 'var(--text-s)', color: 'var(--ink)', background: 'var(--sheet)', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: 'var(--line)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    background: 'var(--well)',
    color: 'var(--ink-3)',
    borderRight: '1px solid var(--line-soft)',
  },
  '.cm-activeLine': { background: 'var(--hover)' },
  '.cm-activeLineGutter': { background: 'var(--selected)', color: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, ::selection': { background: 'var(--selected)' },
  '.cm-tooltip': { background: 'var(--sheet)', color: 'var(--ink)', border: '1px solid var(--line-firm)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--ink)', color: 'var(--on-ink)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--rejected)' },
  '.cm-lintRange-error': { background: 'var(--rejected-soft)', backgroundImage: 'none' },
  '.cm-lint-marker-error': { content: 'none', background: 'var(--rejected)', borderRadius: '50%' },
});

function complete(context: CompletionContext): CompletionResult | null {
  const { state, pos, explicit } = context;
  const word = context.matchBefore(/[\w.-]*/);
  if (!word || (word.from === word.to && !explicit)) return null;
  const before = state.sliceDoc(0, pos).split('\n');
  const options = namesAt(before, namesIn(state.doc.toString())).map((label) => ({ label }));
  return options.length > 0 ? { from: word.from, options, validFor: /^[\w.-]*$/ } : null;
}

/** Replaces what is selected by what is typed. Chromium would keep the look of the first line, by an inline style. */
const replaceSelected = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== 'insertText' || data === null || isComposing || view.state.selection.main.empty)
      return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

/** Opens an editor in an element. @param label its name for screen readers */
export function openSchemaEditor(
  host: HTMLElement,
  { text, label, onText }: { text: string; label: string; onText: (text: string) => void },
): SchemaEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const state = EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      lintGutter(),
      history(),
      yaml(),
      syntaxHighlighting(style),
      highlightActiveLine(),
      replaceSelected,
      autocompletion({ override: [complete] }),
      // Tab leaves the editor, as it leaves every field.
      keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.updateListener.of(({ docChanged, state: { doc } }) => docChanged && onText(doc.toString())),
      theme,
    ],
  });
  const view = new EditorView({ state, parent: root, root });
  return {
    setText(next) {
      const { length } = view.state.doc;
      if (view.state.doc.toString() !== next)
        view.dispatch({ changes: { from: 0, to: length, insert: next } });
    },
    setFaults(faults) {
      const { doc } = view.state;
      const diagnostics = faults.flatMap(({ line, message }) => {
        if (line === undefined || line > doc.lines) return [];
        const { from, to } = doc.line(line);
        return [{ from, to, severity: 'error' as const, message }];
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    goTo(line) {
      const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      });
      view.focus();
    },
    close: () => view.destroy(),
  };
}
