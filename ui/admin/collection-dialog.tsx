/** The configuration of a collection: its main attributes as fields, all of them as JSON. */
import { useState } from 'preact/hooks';
import type { ClientError, PolicyDryRun, Rehearsal } from '../../src/client/client.ts';
import { Dialog } from '../shared/dialog.tsx';
import { isObject, type Json, type JsonObject, parseJson, scalarText } from '../shared/json.ts';
import { useKept } from '../shared/kept.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { policyKeys } from '../shared/policies.ts';
import { forget } from '../shared/schema.ts';
import { service } from '../shared/service.ts';
import { session } from '../shared/session.ts';
import { toast } from '../shared/toast.tsx';
import { t } from '../texts/texts.ts';
import type { Collection } from './elements.ts';
import { PolicyFields } from './policy-fields.tsx';
import { hasPolicyEffect, PolicyWarnings } from './policy-warnings.tsx';
import { isSameSetting } from './same-setting.ts';
import { hasEffect, SchemaWarnings } from './schema-warnings.tsx';

const EMPTY = {
  name: '',
  schema: '',
  default_token: '',
  curated: '',
  incoming: '',
  backend: { type: 'record_dir+stl' },
};

/**
 * The entity tag of a collection, for the write that follows.
 *
 * @param schema what the dialog itself may have set meanwhile
 * @throws Error if somebody else has changed it since it was shown
 */
async function unchangedTag(shown: Collection, schema = shown.schema): Promise<string | undefined> {
  const { element, etag } = await service().configuration.read<Collection>('collections', shown.name);
  if (isSameSetting(shown, element, schema)) return etag;
  throw new Error(t('collections.changed', { name: shown.name }));
}

/** The object that JSON has; another one while it is not complete. */
function parsedOr(text: string, other: JsonObject): JsonObject {
  try {
    const parsed = parseJson(text);
    return isObject(parsed) ? parsed : other;
  } catch {
    return other;
  }
}

export function CollectionDialog({
  collection,
  onClose,
}: {
  collection: Collection | undefined;
  onClose: () => void;
}) {
  const initial = JSON.stringify(collection ?? EMPTY, null, 2);
  const [text, setText, forgetText] = useKept(`collection/${initial}`, initial);
  const [error, setError] = useState<ClientError | Error>();
  const [busy, setBusy] = useState(false);
  /** What the schema that is typed means for the records; asked for before it is saved. */
  const [tried, setTried] = useState<{ schema: string; rehearsal: Rehearsal }>();
  /** What the policies that are typed mean for callers. */
  const [triedPolicies, setTriedPolicies] = useState<{ keys: string; dryRun: PolicyDryRun }>();
  const value = (): Record<string, Json> => {
    const parsed = parseJson(text);
    if (!isObject(parsed)) throw new Error(t('json.object'));
    return parsed;
  };
  const field = (key: string): string => {
    try {
      return scalarText(value()[key]);
    } catch {
      return '';
    }
  };
  const change = (key: string, next: Json) => {
    try {
      setText(JSON.stringify({ ...value(), [key]: next }, null, 2));
    } catch (problem) {
      setError(problem as Error);
    }
  };
  const store = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const element = value();
      const schema = scalarText(element.schema);
      const named = { ...element, name: scalarText(element.name) };
      const { configuration } = service();
      if (collection) await unchangedTag(collection);
      const policies = policyKeys(named);
      const keys = JSON.stringify(policies);
      const isOther = collection !== undefined && keys !== JSON.stringify(policyKeys(collection));
      if (isOther && triedPolicies?.keys !== keys) {
        const dryRun = await service().collection(collection.name).tryPolicies(policies);
        if (hasPolicyEffect(dryRun)) {
          setTriedPolicies({ keys, dryRun });
          setBusy(false);
          return;
        }
      }
      if (collection && schema !== collection.schema) {
        const known = tried?.schema === schema ? tried.rehearsal : undefined;
        const rehearsal = known ?? (await configuration.tryCollection(named));
        if (rehearsal && !known && hasEffect(rehearsal)) {
          setTried({ schema, rehearsal });
          setBusy(false);
          return;
        }
        // Records and schema change in one step; the other attributes follow.
        if (rehearsal) await service().collection(collection.name).switchSchema(rehearsal.id);
      }
      if (collection) {
        const ifMatch = await unchangedTag(collection, schema);
        await configuration.put('collections', named, { ifMatch });
      } else await configuration.create('collections', named);
      forgetText();
      toast(t('collections.saved', { name: named.name }));
      forget();
      session.me.value = await service().me();
      onClose();
    } catch (problem) {
      setError(problem as ClientError);
      setBusy(false);
    }
  };
  const parsed = parsedOr(text, {});
  const policies =
    triedPolicies?.keys === JSON.stringify(policyKeys(parsed)) ? triedPolicies.dryRun : undefined;
  const shown = tried && tried.schema === field('schema') ? tried.rehearsal : undefined;
  return (
    <Dialog
      wide
      busy={busy}
      title={collection ? t('collections.edit', { name: collection.name }) : t('collections.new')}
      confirm={t(
        shown || policies ? 'collections.saveAnyway' : collection ? 'form.save' : 'collections.create',
      )}
      onConfirm={store}
      onClose={onClose}
    >
      {(['name', 'schema', 'default_token', 'curated', 'incoming'] as const).map((key, index) => (
        <div class="field" key={key}>
          <label for={`collection-${key}`}>{t(`collections.${key}`)}</label>
          <input
            class="input mono"
            id={`collection-${key}`}
            data-first={index === 0 ? '' : undefined}
            readOnly={key === 'name' && collection !== undefined}
            value={field(key)}
            onInput={({ currentTarget: { value: typed } }) =>
              change(key, typed === '' && key === 'incoming' ? null : typed)
            }
          />
        </div>
      ))}
      <PolicyFields collection={parsed} onChange={change} />
      <div class="field">
        <label for="collection-json">{t('collections.all')}</label>
        <textarea
          class="input mono grow"
          id="collection-json"
          rows={10}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      {policies && <PolicyWarnings dryRun={policies} />}
      {shown && <SchemaWarnings rehearsal={shown} />}
      {error &&
        ('status' in error ? (
          <ErrorNote error={error} />
        ) : (
          <p class="note st-rejected" role="alert">
            {error.message}
          </p>
        ))}
    </Dialog>
  );
}
