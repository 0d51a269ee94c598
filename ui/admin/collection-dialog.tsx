/** The configuration of a collection, as fields. */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { PolicyDryRun, ProblemReport } from '../../src/client/client.ts';
import { shownBy } from '../../src/core/config/secrets.ts';
import type { RehearsedReplacement } from '../module.ts';
import { REHEARSE } from '../modules.ts';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { type Json, type JsonObject, scalarText } from '../shared/json.ts';
import { useKept } from '../shared/kept.ts';
import { blockedField } from '../shared/name-field.tsx';
import { policyKeys } from '../shared/policies.ts';
import { problemWords } from '../shared/problem-words.ts';
import { forget } from '../shared/schema.ts';
import { ClientError, service } from '../shared/service.ts';
import { session } from '../shared/session.ts';
import { toast } from '../shared/toast.tsx';
import { t } from '../texts/texts.ts';
import { AttributeFields, type Attributes } from './attribute-fields.tsx';
import { CollectionFields, type FieldKey, REQUIRED } from './collection-fields.tsx';
import type { Collection, Token } from './elements.ts';
import { PolicyFields } from './policy-fields.tsx';
import { hasPolicyEffect, PolicyWarnings } from './policy-warnings.tsx';
import { isSameSetting } from './same-setting.ts';
import type { Path } from './schema-fields.tsx';
import { withoutSecrets } from './secrets.ts';
import { PROBLEMS, ta } from './texts.ts';

const EMPTY: JsonObject = {
  name: '',
  schema: '',
  default_token: 'anonymous',
  curated: '',
  incoming: '',
  backend: { type: 'record_dir+stl' },
};

/**
 * The entity tag of a collection, for the write that follows.
 *
 * @param schema what the dialog itself may have set meanwhile
 * @throws ClientError if somebody else has changed it since it was shown
 */
async function unchangedTag(shown: Collection, schema = shown.schema): Promise<string | undefined> {
  const { element, etag } = await service().configuration.read<Collection>('collections', shown.name);
  if (isSameSetting(shown, element, schema)) return etag;
  throw new ClientError(t('collections.changed', { name: shown.name }), 412);
}

const pathOf = ({ loc: [first, ...rest] }: ProblemReport): Path =>
  first === 'body' ? rest : [first, ...rest].filter((part) => part !== undefined);
const placeOf = (path: Path) => path.join('.');

/** What the service says about the value at a path. */
function problemAt(error: ClientError | undefined, path: Path): string | undefined {
  const found = error?.problems.find((problem) => placeOf(pathOf(problem)) === placeOf(path));
  return found && problemWords(found, PROBLEMS);
}

/** Names the location of each problem in the message of an error: some have no field beside which they could be shown. */
function withPlaces(error: ClientError | undefined): ClientError | undefined {
  if (!error || error.problems.length === 0) return error;
  const lines = error.problems.map(
    (problem) => `${placeOf(pathOf(problem))}: ${problemWords(problem, PROBLEMS)}`,
  );
  return new ClientError(lines.join(' '), error.status, error.problems);
}

/** The directories of a new collection, which follow its name until they are edited. */
function withName(element: JsonObject, name: string): JsonObject {
  const former = scalarText(element.name);
  const directory = (key: 'curated' | 'incoming') => {
    const text = scalarText(element[key]);
    return text === '' || text === `${former}/${key}` ? { [key]: name === '' ? '' : `${name}/${key}` } : {};
  };
  return { ...element, name, ...directory('curated'), ...directory('incoming') };
}

export function CollectionDialog({
  title,
  collection,
  attributes,
  tokens,
  onClose,
}: {
  title: string;
  collection: Collection | undefined;
  attributes: Attributes;
  tokens: readonly Token[];
  onClose: () => void;
}) {
  const initial = collection ?? EMPTY;
  const storedAs = useMemo(() => withoutSecrets(initial, shownBy({ properties: attributes })), []);
  const draft = JSON.stringify(storedAs.store(initial));
  const [object, put, forgetObject] = useKept<JsonObject>(`collection/${draft}`, initial, storedAs);
  const [schemaText, setSchemaText, forgetSchemaText] = useKept<string>(`collection-text/${draft}`, '');
  const [missing, setMissing] = useState<readonly FieldKey[]>([]);
  /** The effect of the typed schema on the records; requested before it is saved. */
  const [tried, setTried] = useState<{ schema: string; rehearsed: RehearsedReplacement }>();
  /** The effect of the typed policies on callers. */
  const [triedPolicies, setTriedPolicies] = useState<{ keys: string; dryRun: PolicyDryRun }>();
  const field = (key: string) => scalarText(object[key]);
  const change = (key: string, next: Json) => {
    const isNamed = key === 'name' && collection === undefined;
    put(isNamed ? withName(object, scalarText(next)) : { ...object, [key]: next });
    setMissing(missing.filter((one) => one !== key));
  };
  const { busy, error, run } = useAction(async () => {
    const { configuration } = service();
    const isText = collection === undefined && schemaText !== '';
    const schema = isText ? await configuration.keepSchema(schemaText) : field('schema');
    const named = { ...object, name: field('name'), schema };
    if (collection) await unchangedTag(collection);
    const policies = policyKeys(named);
    const keys = JSON.stringify(policies);
    const isOther = collection !== undefined && keys !== JSON.stringify(policyKeys(collection));
    if (isOther && triedPolicies?.keys !== keys) {
      const dryRun = await service().collection(collection.name).tryPolicies(policies);
      if (hasPolicyEffect(dryRun)) return setTriedPolicies({ keys, dryRun });
    }
    if (collection && schema !== collection.schema) {
      const known = tried?.schema === schema ? tried.rehearsed : undefined;
      const rehearsed = known ?? (await REHEARSE?.(named));
      if (rehearsed?.Warnings && !known) return setTried({ schema, rehearsed });
      // Records and schema change in one step; the other attributes follow.
      await rehearsed?.putInForce();
    }
    if (collection) {
      const ifMatch = await unchangedTag(collection, schema);
      await configuration.put('collections', named, { ifMatch });
    } else await configuration.create('collections', named);
    forgetObject();
    forgetSchemaText();
    toast(
      collection ? t('collections.saved', { name: named.name }) : ta('collectionMade', { name: named.name }),
    );
    forget();
    session.me.value = await service().me();
    onClose();
  });
  const store = () => {
    const blocked = blockedField();
    if (blocked) return blocked.focus();
    const empty = REQUIRED.filter(
      (key) => field(key).trim() === '' && !(key === 'schema' && schemaText !== ''),
    );
    setMissing(empty);
    if (empty[0]) document.getElementById(`collection-${empty[0]}`)?.focus();
    else run();
  };
  useLayoutEffect(() => {
    if (error) document.querySelector<HTMLElement>('dialog [aria-invalid="true"]')?.focus();
  }, [error]);
  const policies =
    triedPolicies?.keys === JSON.stringify(policyKeys(object)) ? triedPolicies.dryRun : undefined;
  const Warnings = tried && tried.schema === field('schema') ? tried.rehearsed.Warnings : undefined;
  return (
    <Dialog
      wide
      busy={busy}
      error={withPlaces(error)}
      title={title}
      confirm={t(
        Warnings || policies ? 'collections.saveAnyway' : collection ? 'form.save' : 'collections.create',
      )}
      onConfirm={store}
      onClose={onClose}
    >
      <CollectionFields
        isNew={collection === undefined}
        textOf={field}
        onChange={(key, typed) => change(key, typed === '' && key === 'incoming' ? null : typed)}
        problemOf={(key) => (missing.includes(key) ? ta('required') : problemAt(error, [key]))}
        tokens={tokens.map(({ name }) => name)}
        schemaText={schemaText}
        onSchemaText={(next) => {
          setSchemaText(next);
          setMissing(missing.filter((key) => key !== 'schema'));
        }}
      />
      <PolicyFields
        collection={object}
        visitor={tokens.find(({ name }) => name === field('default_token'))}
        onChange={(changes) => put({ ...object, ...changes })}
      />
      <AttributeFields
        attributes={attributes}
        collection={object}
        problemOf={(path) => problemAt(error, path)}
        hasProblem={(key) => error?.problems.some((problem) => pathOf(problem)[0] === key) ?? false}
        onChange={(key, value) => {
          const { [key]: _, ...others } = object;
          put(value === undefined ? others : { ...others, [key]: value });
        }}
      />
      <p class="muted" role="status">
        {busy && ta('collectionChecked')}
      </p>
      {policies && <PolicyWarnings dryRun={policies} />}
      {Warnings && <Warnings />}
    </Dialog>
  );
}
