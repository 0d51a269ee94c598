/** The main attributes of a collection as fields, with what each means; the schema of a new one may be pasted or uploaded. */
import { FileInput } from '../shared/file-input.tsx';
import { TextField } from '../shared/text-field.tsx';
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
  /** The fault of a field. */
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
        const isNeeded = REQUIRED.includes(key) && !(key === 'schema' && schemaText !== '');
        return (
          <TextField
            key={key}
            id={`collection-${key}`}
            label={t(`collections.${key}`)}
            help={key === 'name' && isNew ? helpOfName(textOf(key)) : ta(`help_${key}`)}
            problem={problemOf(key)}
            mono
            first={index === 0}
            readOnly={key === 'name' && !isNew}
            required={isNeeded}
            list={key === 'default_token' ? 'collection-tokens' : undefined}
            value={textOf(key)}
            onText={(text) => onChange(key, text)}
          >
            {key === 'default_token' && (
              <datalist id="collection-tokens">
                {tokens.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            )}
            {key === 'schema' && isNew && <SchemaText text={schemaText} onText={onSchemaText} />}
          </TextField>
        );
      })}
    </>
  );
}

/** How links will name the collection, if not as it is written. */
function helpOfName(name: string): string {
  const link = encodeURI(name);
  return link === name ? ta('help_name') : `${ta('help_name')} ${ta('nameInLinks', { link })}`;
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
