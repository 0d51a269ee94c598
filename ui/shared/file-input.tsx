/** A field for one file of this computer. */
export function FileInput(props: { id: string; accept: string; onFile: (file: File) => void }) {
  const { id, accept, onFile } = props;
  return (
    <input
      class="input file"
      id={id}
      type="file"
      accept={accept}
      // Without this, choosing the same file again would be no change.
      onClick={(event) => {
        event.currentTarget.value = '';
      }}
      onChange={(event) => {
        const file = event.currentTarget.files?.[0];
        if (file) onFile(file);
      }}
    />
  );
}
