/** The main attributes of a collection as fields, with what each means; the schema of a new one may be pasted or uploaded. */
import { FileInput } from '../shared/file-input.tsx';
import { t } from '../texts/texts.ts';
import { ta } from './texts.ts';

export const FIELDS = ['name', 'schema', 'default_token', 'curated', 'incoming'] as const;
export type FieldKey = (typeof FIELDS)[number];

/** The fields without which there is no collection. */
export const REQUIRED: readonly FieldKey[] = ['name', 'schema', 'default_token', 'curated'];

export function CollectionFields(props: {
  isNew: boolean;
  textOf: (key: FieldKey) => string;
  onChange: (key: FieldKey, value: string) => void;
  /** What is wrong with a field. */
  problemOf: (key: FieldKey) => string | undefined;
  tokens: readonly string[];
  /** The text of the schema of a new collection, instead of its address. */
  schemaText: string;
  onSchemaText: (text: string) => void;
}) {
  const { isNew, textOf, onChange, problemOf, tokens, schemaText, onSchemaText } = props;
  return (
    <>
      {FIELDS.map((key, index) => {
        const id = `collection-${key}`;
        const problem = problemOf(key);
        const isNeeded = REQUIRED.includes(key) && !(key === 'schema' && schemaText !== '');
        return (
          <div class={problem ? 'field bad' : 'field'} key={key}>
            <label for={id}>{t(`collections.${key}`)}</label>
            <input
              class="input mono"
              id={id}
              data-first={index === 0 ? '' : undefined}
              readOnly={key === 'name' && !isNew}
              required={isNeeded}
              aria-invalid={problem !== undefined}
              aria-describedby={problem ? `${id}-error ${id}-help` : `${id}-help`}
              list={key === 'default_token' ? 'collection-tokens' : undefined}
              value={textOf(key)}
              onInput={(event) => onChange(key, event.currentTarget.value)}
            />
            {problem && (
              <p class="error" id={`${id}-error`}>
                {problem}
              </p>
            )}
            <p class="help" id={`${id}-help`}>
              {ta(`help_${key}`)}
            </p>
            {key === 'default_token' && (
              <datalist id="collection-tokens">
                {tokens.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            )}
            {key === 'schema' && isNew && <SchemaText text={schemaText} onText={onSchemaText} />}
          </div>
        );
      })}
    </>
  );
}

function SchemaText({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <>
      <label class="label" for="collection-text">
        {ta('schemaText')}
      </label>
      <textarea
        class="input mono grow"
        id="collection-text"
        rows={5}
        spellcheck={false}
        wrap="off"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <label class="label" for="collection-file">
        {ta('schemaFile')}
      </label>
      <FileInput
        id="collection-file"
        accept=".yaml,.yml"
        onFile={async (file) => onText(await file.text())}
      />
    </>
  );
}
