/** Collections: their configuration, maintenance, and what the service says about a change. */
import { useState } from 'preact/hooks';
import { sectionsIn } from '../modules.ts';
import { useAction } from '../shared/action.ts';
import { TrashButton } from '../shared/delete-element.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icons.tsx';
import { isObject, type Json, scalarText } from '../shared/json.ts';
import { useLoad } from '../shared/load.ts';
import { Empty, ErrorNote, Loading } from '../shared/notes.tsx';
import { go, urlOf } from '../shared/router.ts';
import { lab, service } from '../shared/service.ts';
import { may, session } from '../shared/session.ts';
import { toast } from '../shared/toast.tsx';
import { ViewLinks } from '../shared/view-links.tsx';
import { t } from '../texts/texts.ts';
import { readAttributes } from './attribute-fields.tsx';
import { CollectionDialog } from './collection-dialog.tsx';
import { AdminList } from './element-list.tsx';
import { type Collection, READING, type Token } from './elements.ts';
import { failedUndo, PublicDialog } from './public-dialog.tsx';
import { modeWords, ta, typeWords } from './texts.ts';

export function AdminCollections({
  collections,
  tokens,
  chosen,
}: {
  collections: readonly Collection[];
  tokens: readonly Token[];
  chosen: string | undefined;
}) {
  /** The collection that is to be made public, or closed. */
  const [chosenSwitch, setSwitched] = useState<string>();
  const switched = failedUndo.value?.collection ?? chosenSwitch;
  const { value: attributes, error, reload } = useLoad('collection-attributes', readAttributes);
  const shown = chosen === undefined ? collections : collections.filter(({ name }) => name === chosen);
  return (
    <AdminList<Collection>
      kind="collections"
      title={t('admin.collections')}
      count={collections.length}
      add={t('collections.new')}
      form={(collection, close) => {
        const title = collection ? t('collections.edit', { name: collection.name }) : t('collections.new');
        return attributes ? (
          <CollectionDialog {...{ title, collection, attributes, tokens }} onClose={close} />
        ) : (
          <Dialog title={title} onClose={close}>
            <Loading error={error} retry={reload} />
          </Dialog>
        );
      }}
      deleting={({ name }) => ({
        title: t('collections.deleteTitle', { name }),
        help: t('collections.deleteHelp'),
        done: t('collections.deleted', { name }),
        also: usedBy(tokens, name) === 0 ? undefined : ta('revoke', { n: usedBy(tokens, name) }),
      })}
      onDeleted={() => go(urlOf(['admin', 'collections']))}
    >
      {({ edit, remove }) => (
        <>
          {collections.length === 0 && <Empty title={t('collections.none')} />}
          {collections.length > 0 && shown.length === 0 && (
            <Empty title={t('collections.missing', { name: chosen! })}>
              <a class="btn" href={urlOf(['admin', 'collections'])}>
                {t('admin.collections')}
              </a>
            </Empty>
          )}
          {shown.map((collection) => (
            <CollectionCard
              key={collection.name}
              collection={collection}
              tokens={tokens}
              onEdit={() => edit(collection)}
              onDelete={() => remove(collection)}
              onPublic={() => setSwitched(collection.name)}
            />
          ))}
          {switched !== undefined && (
            <PublicDialog
              collection={switched}
              onClose={() => {
                failedUndo.value = undefined;
                setSwitched(undefined);
              }}
            />
          )}
        </>
      )}
    </AdminList>
  );
}

/** Pages of administration about one collection. */
const OF_ONE = sectionsIn('admin');

/** How many tokens have permissions in a collection. */
const usedBy = (tokens: readonly Token[], name: string) =>
  tokens.filter(({ collections }) => name in collections).length;

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
  onPublic,
}: {
  collection: Collection;
  tokens: readonly Token[];
  onEdit: () => void;
  onDelete: () => void;
  onPublic: () => void;
}) {
  const { name } = collection;
  const isPaused = session.me.value?.collections[name]?.maintenance ?? false;
  const { busy, error, run } = useAction(async () => {
    await lab(name).maintenance(!isPaused);
    session.me.value = await service().me();
    toast(t(isPaused ? 'collections.open' : 'collections.paused', { name }));
  });
  const visitor = tokens.find((token) => token.name === collection.default_token);
  const mode = visitor?.collections[name]?.mode ?? 'NOTHING';
  const used = usedBy(tokens, name);
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
          <button type="button" class="btn small" disabled={busy} onClick={run}>
            {t(isPaused ? 'collections.endMaintenance' : 'collections.maintenance')}
          </button>
        )}
        <ViewLinks place="admin" collection={name} class="btn small" />
        <button type="button" class="btn small" onClick={onPublic}>
          <Icon name="globe" size={14} />
          {ta(READING.has(mode) ? 'publicEndOf' : 'publicMakeOf')}
        </button>
        <button type="button" class="btn small" onClick={onEdit}>
          <Icon name="pencil" size={14} />
          {t('hint.Edit')}
        </button>
        <TrashButton label={t('collections.delete', { name })} onClick={onDelete} />
      </div>
      <div class="body">
        <dl class="slots tight">
          {ROWS.map((key) => (
            <div key={key}>
              <dt>{t(`collections.${key}`)}</dt>
              {key === 'default_token' && visitor ? (
                <dd>
                  <a class="mono" href={urlOf(['admin', 'tokens'])}>
                    {visitor.name}
                  </a>
                  : {modeWords(mode)}
                </dd>
              ) : (
                <dd class={typeof collection[key] === 'string' ? 'mono' : undefined}>
                  {[collection[key]].flat().map(words).join('; ') || '–'}
                </dd>
              )}
            </div>
          ))}
          <div>
            <dt>{t('admin.tokens')}</dt>
            <dd>{used}</dd>
          </div>
          {OF_ONE.length > 0 && (
            <div>
              <dt>{ta('sections')}</dt>
              <dd class="links">
                {OF_ONE.map((section) => (
                  <a key={section.name} href={urlOf(['admin', section.name, name])}>
                    {section.title()}
                  </a>
                ))}
              </dd>
            </div>
          )}
        </dl>
        {error && <ErrorNote error={error} />}
      </div>
    </section>
  );
}

/** Storage, token sources and audit logs by their types, in words; what has no words is shown as it is. */
function words(value: Json | undefined): string {
  if (value === undefined || value === null) return '–';
  if (!isObject(value)) return scalarText(value);
  const { type, path } = value;
  const known = typeWords(scalarText(type));
  return typeof path === 'string' ? `${known}: ${path}` : known;
}
