/** Collections: their configuration, maintenance, and what the service says about a change. */

import { useState } from 'preact/hooks';
import type { ClientError } from '../../src/client/client.ts';
import type { Collection, Token } from '../base/admin.ts';
import { isObject, type Json, parseJson, scalarText } from '../base/json.ts';
import { go, urlOf } from '../base/router.ts';
import { forget } from '../base/schema.ts';
import { lab, service } from '../base/service.ts';
import { may, session } from '../base/session.ts';
import { t } from '../texts/texts.ts';
import { Dialog } from './dialog.tsx';
import { Icon } from './icons.tsx';
import { Empty, ErrorNote } from './notes.tsx';
import { toast } from './toast.tsx';

export function AdminCollections({
  collections,
  tokens,
  chosen,
}: {
  collections: readonly Collection[];
  tokens: readonly Token[];
  chosen: string | undefined;
}) {
  const [editing, setEditing] = useState<Collection | 'new'>();
  const [deleting, setDeleting] = useState<Collection>();
  const shown = chosen === undefined ? collections : collections.filter(({ name }) => name === chosen);
  return (
    <>
      <div class="head first">
        <h2>
          {t('admin.collections')} <span class="faint">{collections.length}</span>
        </h2>
        <span class="push" />
        <button type="button" class="btn" onClick={() => setEditing('new')}>
          <Icon name="plus" />
          {t('collections.new')}
        </button>
      </div>
      {collections.length === 0 && <Empty title={t('collections.none')} />}
      {shown.map((collection) => (
        <CollectionCard
          key={collection.name}
          collection={collection}
          tokens={tokens}
          onEdit={() => setEditing(collection)}
          onDelete={() => setDeleting(collection)}
        />
      ))}
      {editing && (
        <CollectionDialog
          collection={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
      {deleting && <DeleteCollection name={deleting.name} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

const ROWS = [
  'schema',
  'default_token',
  'curated',
  'incoming',
  'backend',
  'auth_sources',
  'audit_backends',
] as const;

function CollectionCard({
  collection,
  tokens,
  onEdit,
  onDelete,
}: {
  collection: Collection;
  tokens: readonly Token[];
  onEdit: () => void;
  onDelete: () => void;
}) {
  const { name } = collection;
  const [error, setError] = useState<ClientError>();
  const isPaused = session.me.value?.collections[name]?.maintenance ?? false;
  const switchIt = async () => {
    try {
      setError(undefined);
      await lab(name).maintenance(!isPaused);
      session.me.value = await service().me();
      toast(t(isPaused ? 'collections.open' : 'collections.paused', { name }));
    } catch (problem) {
      setError(problem as ClientError);
    }
  };
  const used = tokens.filter(({ collections }) => name in collections).length;
  return (
    <section class="card coll-card">
      <div class="cap">
        <h3>
          <a href={urlOf(['admin', 'collections', name])}>
            <bdi>{name}</bdi>
          </a>
        </h3>
        {isPaused && <span class="tag">{t('home.maintenance')}</span>}
        <span class="push" />
        {may(name, 'curate') && (
          <button type="button" class="btn small" onClick={switchIt}>
            {t(isPaused ? 'collections.endMaintenance' : 'collections.maintenance')}
          </button>
        )}
        <button type="button" class="btn small" onClick={onEdit}>
          <Icon name="pencil" size={14} />
          {t('hint.Edit')}
        </button>
        <button type="button" class="icon" aria-label={t('collections.delete', { name })} onClick={onDelete}>
          <Icon name="trash" />
        </button>
      </div>
      <div class="body">
        <dl class="slots tight">
          {ROWS.map((key) => (
            <div key={key}>
              <dt>{t(`collections.${key}`)}</dt>
              <dd class={typeof collection[key] === 'string' ? 'mono' : undefined}>
                {words(collection[key])}
              </dd>
            </div>
          ))}
          <div>
            <dt>{t('admin.tokens')}</dt>
            <dd>{used}</dd>
          </div>
        </dl>
        {error && <ErrorNote error={error} />}
      </div>
    </section>
  );
}

function words(value: Json | undefined): string {
  if (value === undefined || value === null) return '–';
  if (Array.isArray(value)) return value.map(words).join('; ') || '–';
  if (isObject(value)) return Object.values(value).map(words).join(', ');
  return scalarText(value);
}

const EMPTY = {
  name: '',
  schema: '',
  default_token: '',
  curated: '',
  incoming: '',
  backend: { type: 'record_dir+stl' },
};

function CollectionDialog({
  collection,
  onClose,
}: {
  collection: Collection | undefined;
  onClose: () => void;
}) {
  const [text, setText] = useState(JSON.stringify(collection ?? EMPTY, null, 2));
  const [error, setError] = useState<ClientError | Error>();
  const [busy, setBusy] = useState(false);
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
  const change = (key: string, next: string) => {
    try {
      setText(
        JSON.stringify({ ...value(), [key]: next === '' && key === 'incoming' ? null : next }, null, 2),
      );
    } catch (problem) {
      setError(problem as Error);
    }
  };
  const store = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const element = value();
      const { configuration } = service();
      const named = { ...element, name: scalarText(element.name) };
      await (collection ? configuration.put : configuration.create)('collections', named);
      toast(t('collections.saved', { name: String(element.name) }));
      forget();
      session.me.value = await service().me();
      onClose();
    } catch (problem) {
      setError(problem as ClientError);
      setBusy(false);
    }
  };
  return (
    <Dialog
      wide
      busy={busy}
      title={collection ? t('collections.edit', { name: collection.name }) : t('collections.new')}
      confirm={t(collection ? 'form.save' : 'collections.create')}
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
            onInput={(event) => change(key, event.currentTarget.value)}
          />
        </div>
      ))}
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

function DeleteCollection({ name, onClose }: { name: string; onClose: () => void }) {
  const [error, setError] = useState<ClientError>();
  const run = async () => {
    try {
      await service().configuration.remove('collections', name);
      toast(t('collections.deleted', { name }));
      forget();
      go(urlOf(['admin', 'collections']));
      onClose();
    } catch (problem) {
      setError(problem as ClientError);
    }
  };
  return (
    <Dialog
      danger
      title={t('collections.deleteTitle', { name })}
      confirm={t('delete.delete')}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{t('collections.deleteHelp')}</p>
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}
