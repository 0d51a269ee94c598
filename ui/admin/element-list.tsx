/** Configuration elements of one kind: a heading with a button for a new one, and dialogs that edit and delete one. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ElementKind } from '../../src/client/client.ts';
import { DeleteElement, type DeleteWords } from '../shared/delete-element.tsx';
import { Icon } from '../shared/icons.tsx';
import { service } from '../shared/service.ts';

/** The actions of the rows of the list. */
type Actions<E> = { readonly edit: (element: E) => void; readonly remove: (element: E) => void };

export function AdminList<E extends { readonly name: string }>({
  kind,
  title,
  count,
  add,
  form,
  deleting: wordsOf,
  onDeleted,
  children,
}: {
  kind: ElementKind;
  title: string;
  count: number;
  /** The words of the button for a new element. */
  add: string;
  /** The dialog that edits an element, or a new one. */
  form: (element: E | undefined, close: () => void) => ComponentChildren;
  deleting: (element: E) => DeleteWords;
  onDeleted?: () => void;
  children: (actions: Actions<E>) => ComponentChildren;
}) {
  const [editing, setEditing] = useState<E | 'new'>();
  const [deleting, setDeleting] = useState<E>();
  const close = () => setEditing(undefined);
  return (
    <>
      <div class="head first">
        <h2>
          {title} <span class="faint">{count}</span>
        </h2>
        <span class="push" />
        <button type="button" class="btn" onClick={() => setEditing('new')}>
          <Icon name="plus" />
          {add}
        </button>
      </div>
      {children({ edit: setEditing, remove: setDeleting })}
      {editing && form(editing === 'new' ? undefined : editing, close)}
      {deleting && (
        <DeleteElement
          words={wordsOf(deleting)}
          remove={(revoke) => service().configuration.remove(kind, deleting.name, { revoke })}
          onDone={onDeleted}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}
