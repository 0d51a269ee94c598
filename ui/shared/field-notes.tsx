/** What is wrong with a field, and its help, below its input. */

type Notes = { readonly problem?: string | undefined; readonly help?: string | undefined };

/** Their ids, for `aria-describedby` of the input; undefined if there are none. */
export function describedBy(id: string, { problem, help }: Notes): string | undefined {
  return [problem && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ') || undefined;
}

export function FieldNotes({ id, problem, help }: { id: string } & Notes) {
  return (
    <>
      {problem && (
        <p class="error" id={`${id}-error`}>
          {problem}
        </p>
      )}
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </>
  );
}
