/** Home: what waits for the user, the collections, and what modules show beside them. */

import { MODULES } from '../modules.ts';
import { currentCollection, useContext } from '../shared/context.ts';
import { drafts } from '../shared/drafts.ts';
import { Icon } from '../shared/icons.tsx';
import { isPassing, useLoad } from '../shared/load.ts';
import { Bones, Empty, ErrorNote } from '../shared/notes.tsx';
import { Panels } from '../shared/panels.tsx';
import { urlOf } from '../shared/router.ts';
import { readClasses, written } from '../shared/schema.ts';
import { type Access, collectionsWith, isSample, session } from '../shared/session.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { count, shortTime } from '../shared/time.ts';
import { t } from '../texts/texts.ts';

type Row = { name: string; access: Access; classes?: number; records?: number };

async function readRows(signal: AbortSignal): Promise<Row[]> {
  const collections = Object.entries(session.me.peek()?.collections ?? {});
  return Promise.all(
    collections.map(async ([name, access]) => {
      const readable =
        access.permissions.includes('read_curated') ||
        access.permissions.includes('read_zone') ||
        access.permissions.includes('curate');
      if (!readable) return { name, access };
      const classes = await readClasses(name, signal).catch(() => undefined);
      const roots = classes?.filter(({ is_a }) => !classes.some((one) => one.class === is_a));
      return {
        name,
        access,
        classes: classes?.length,
        records: roots?.reduce((sum, one) => sum + one.count, 0),
      } as Row;
    }),
  );
}

export function Home() {
  const collection = currentCollection();
  const known = useLoad(`${session.token.value ?? ''}`, readRows, written.value).value;
  const rows = known ?? [];
  useContext(<CollectionList rows={rows} />, rows);
  const parts = MODULES.flatMap(({ useHome }) => (useHome ? [useHome(collection)] : []));
  const kept = drafts();
  const lines = parts.flatMap((part) => part.lines);
  const beside = parts.flatMap((part) => part.beside);
  // A service refuses what it does not have.
  const failed = parts.flatMap(({ failed }) => (failed && isPassing(failed.error.status) ? failed : []));
  return (
    <Sheets>
      <MainSheet title={t('rail.home')}>
        <div class="page wide">
          {session.isGuest.value && <Welcome />}
          {session.me.value?.admin && known?.length === 0 && <AdminStart />}
          {failed[0] && (
            <ErrorNote
              error={failed[0].error}
              retry={() => {
                for (const { retry } of failed) retry();
              }}
            />
          )}
          {parts.map(({ tasks }) => tasks)}
          <div class={beside.length > 0 ? 'cols' : 'cols one'}>
            <div>
              {kept.length + lines.length > 0 && (
                <>
                  <div class="head">
                    <h2>{t('home.alsoYours')}</h2>
                  </div>
                  <ul class="list">
                    {lines}
                    {kept.map(({ href, title, time }) => (
                      <li key={href}>
                        <a class="line" href={href}>
                          <span>
                            <span class="what st">
                              <Icon name="file" size={14} />
                              {t('home.draft')}
                            </span>
                            <br />
                            <span class="small muted">{title}</span>
                          </span>
                          <span class="tiny faint">{shortTime(time)}</span>
                        </a>
                      </li>
                    ))}
                  </ul>
                </>
              )}
              {!(session.me.value?.admin && rows.length === 0) && (
                <>
                  <div class="head">
                    <h2>{t('home.collections')}</h2>
                  </div>
                  {known ? <Collections rows={known} /> : <Bones />}
                </>
              )}
            </div>
            {beside}
          </div>
        </div>
      </MainSheet>
    </Sheets>
  );
}

function Welcome() {
  const isOpen = collectionsWith('read_curated').length > 0;
  return (
    <section class="hero guest" aria-labelledby="welcome">
      <Icon name="key" size={28} />
      <div>
        <h2 id="welcome">{t('home.guest')}</h2>
        <p class="mix muted">{t('home.what')}</p>
        <p class="mix muted">
          {t(isOpen ? 'home.guestHelp' : 'home.guestNothing')} {t('first.tokenIs')} {t('home.tokenFrom')}
        </p>
      </div>
      <p class="btns">
        <a class="btn primary" href={urlOf(['sign-in'])}>
          {t('signIn.action')}
        </a>
      </p>
    </section>
  );
}

/** An administrator without a collection: what an admin token is for. */
function AdminStart() {
  return (
    <section class="hero guest" aria-labelledby="administer">
      <Icon name="sliders" size={28} />
      <div>
        <h2 id="administer">{t('home.adminTitle')}</h2>
        <p class="mix muted">{t('home.adminHelp')}</p>
      </div>
      <p class="btns">
        <a class="btn" href={urlOf(['admin', 'health'])}>
          {t('home.health')}
        </a>
        <a class="btn" href={urlOf(['admin', 'tokens'])}>
          {t('home.newToken')}
        </a>
        <a class="btn primary" href={urlOf(['admin', 'collections'])}>
          {t('home.newCollection')}
        </a>
      </p>
    </section>
  );
}

function youMay(access: Access): string {
  const { permissions } = access;
  const words = [
    permissions.includes('curate') && t('may.review'),
    permissions.includes('write_zone') && t('may.submit'),
    permissions.includes('read_curated') &&
      !permissions.includes('curate') &&
      t(isSample(access) ? 'may.readSample' : 'may.read'),
  ].filter(Boolean);
  return words.join(', ') || t(session.isGuest.value ? 'may.nothingAsGuest' : 'may.nothing');
}

function Collections({ rows }: { rows: readonly Row[] }) {
  if (rows.length === 0) return <Empty title={t('home.noCollections')} />;
  return (
    <table class="table list-like card-like">
      <caption class="vh">{t('home.collections')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('home.collection')}</th>
          <th scope="col" class="w-m opt">
            {t('home.youMay')}
          </th>
          <th scope="col" class="w-s right opt">
            {t('home.classes')}
          </th>
          <th scope="col" class="w-time right opt">
            {t('home.records')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, access, classes, records }) => (
          <tr key={name}>
            <td>
              <div class="main">
                <a href={urlOf([name, 'browse'])}>{access.title ?? name}</a>
                {access.title && <span class="id mono">{name}</span>}
                {access.maintenance && <span class="tag">{t('home.maintenance')}</span>}
              </div>
              {access.description && <p class="small muted folded about">{access.description}</p>}
              {access.contact && (
                <p class="small muted">
                  {t('home.contact')} <a href={`mailto:${access.contact}`}>{access.contact}</a>
                </p>
              )}
              {access.permissions.includes('read_curated') && (
                <Panels place="collection" collection={name} of={access.title ?? name} />
              )}
              <div class="under">
                <span>
                  {access.title && `${name} · `}
                  {records === undefined ? '' : `${t('home.nRecords', { n: records })} · `}
                  {youMay(access)}
                </span>
              </div>
            </td>
            <td class="opt muted wrap">{youMay(access)}</td>
            <td class="right num opt">{classes ?? '–'}</td>
            <td class="right num opt">{records === undefined ? '–' : count(records)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CollectionList({ rows }: { rows: readonly Row[] }) {
  return (
    <section aria-labelledby="rail-collections">
      <h2 id="rail-collections">{t('home.collections')}</h2>
      <ul>
        {rows.map(({ name, records }) => (
          <li key={name}>
            <a class="item" href={urlOf([name, 'browse'])}>
              <bdi>{name}</bdi>
              {records !== undefined && <span class="n">{count(records)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
