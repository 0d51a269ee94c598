/** One record: its values, JSON, Turtle and history, and what links to it. */

import { useEffect } from 'preact/hooks';
import { ClassTree } from '../shared/class-tree.tsx';
import { useContext, type ViewProps } from '../shared/context.ts';
import { Copy } from '../shared/copy.tsx';
import { CopyLink } from '../shared/copy-link.tsx';
import { endOfDay } from '../shared/days.ts';
import { DeleteButton } from '../shared/delete-dialog.tsx';
import { History, useHistory } from '../shared/history.tsx';
import { Icon } from '../shared/icons.tsx';
import type { JsonObject } from '../shared/json.ts';
import { useKeys } from '../shared/keys.ts';
import { LinksBack } from '../shared/links-back.tsx';
import { useLoad } from '../shared/load.ts';
import { NoRecord } from '../shared/no-record.tsx';
import { Loading } from '../shared/notes.tsx';
import { OthersLine, useOthers } from '../shared/others.tsx';
import { Panels } from '../shared/panels.tsx';
import { Lock, Readers } from '../shared/policy-parts.tsx';
import { expanded, readPrefixes } from '../shared/prefixes.ts';
import { readRecord } from '../shared/records.ts';
import { go, place, urlOf, withQuery } from '../shared/router.ts';
import {
  type ClassDescription,
  localPart,
  readClass,
  readClasses,
  readTitles,
  type Title,
  titleIn,
  written,
} from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { may, session } from '../shared/session.ts';
import { Heading, MainSheet, Sheets, SideSheet } from '../shared/sheet.tsx';
import { Tile } from '../shared/tile.tsx';
import { Slots } from '../shared/value.tsx';
import { t } from '../texts/texts.ts';
import { ChooseDay, FormerDay } from './as-of.tsx';

type FoundRecord = {
  record: JsonObject;
  etag: string | null;
  text: string;
  description: ClassDescription;
  title: Title;
};

async function readAll(
  collection: string,
  pid: string,
  at: string | undefined,
  signal: AbortSignal,
): Promise<FoundRecord | null> {
  const [found, titles] = await Promise.all([
    readRecord(collection, pid, { at, signal }),
    readTitles(collection, [pid]),
  ]);
  const title = titles.get(pid);
  return found && title ? { ...found, title, description: await readClass(collection, title.class) } : null;
}

const VIEWS = ['record', 'json', 'turtle', 'history'] as const;

export function RecordView({ collection }: ViewProps) {
  const { query } = place.value;
  const asked = query.get('pid') ?? '';
  const at = endOfDay(query.get('at'));
  const day = at === undefined ? '' : query.get('at')!;
  const view = VIEWS.find((name) => name === query.get('view')) ?? 'record';
  const others = useOthers(collection, at === undefined ? { pid: asked } : undefined);
  const {
    value: found,
    error,
    reload,
  } = useLoad(
    `${collection}/${asked}/${day}`,
    (signal) => readAll(collection, asked, at, signal),
    written.value,
  );
  // A former identifier leads to the record that has another one now.
  const pid = found ? String(found.record.pid) : asked;
  const classes = useLoad(`${collection}`, (signal) => readClasses(collection, signal), written.value);
  const className = found?.description.class;
  useContext(
    classes.value && <ClassTree collection={collection} classes={classes.value} current={className} />,
    `${className}/${JSON.stringify(classes.value)}`,
  );
  const history = useHistory(collection, pid);
  const title = found ? titleIn(found.description, found.record) : localPart(pid);
  const mayEdit = at === undefined && (may(collection, 'write_zone') || may(collection, 'curate'));
  const isCuratedNow = at === undefined && found?.title.in === 'curated';
  const edit = urlOf([collection, 'edit'], { pid });
  useKeys({
    e: () => (mayEdit && found ? go(edit) : false),
    c: () => (mayEdit && className ? go(urlOf([collection, 'new', className])) : false),
  });
  useEffect(() => {
    if (found) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [found === undefined]);
  const tabs = VIEWS.filter((name) => name !== 'history' || history);
  return (
    <Sheets second={found ? 'two' : undefined}>
      <MainSheet
        title={title}
        headed={found !== null && found !== undefined}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          ...(className
            ? [
                {
                  text: found!.description.title ?? className,
                  href: urlOf([collection, 'browse', className]),
                },
              ]
            : []),
        ]}
        actions={
          found && (
            <>
              <CopyLink collection={collection} pid={pid} />
              {mayEdit && (
                <>
                  <DeleteButton
                    collection={collection}
                    pid={pid}
                    title={title}
                    className={className!}
                    etag={found.etag}
                    inZone={found.title.in === 'zone'}
                  />
                  <a class="btn" href={edit}>
                    <Icon name="pencil" />
                    {t('hint.Edit')} <kbd>E</kbd>
                  </a>
                </>
              )}
            </>
          )
        }
      >
        {found?.title.in !== 'zone' && <OthersLine collection={collection} changes={others} of="record" />}
        <div class="page">
          {at !== undefined && <FormerDay day={day} />}
          {(error || found === undefined) && <Loading error={error} retry={reload} />}
          {found === null && (
            <NoRecord collection={collection} pid={pid}>
              {history && history.entries.length > 0 && (
                <p>
                  <a href={withQuery({ view: 'history' })}>{t('record.itsHistory')}</a>
                </p>
              )}
              <p class="btns">
                <a class="btn" href={urlOf([collection, 'browse'])}>
                  {t('rail.browse')}
                </a>
              </p>
            </NoRecord>
          )}
          {found === null && view === 'history' && history && (
            <History collection={collection} history={history} pid={pid} full />
          )}
          {found && (
            <>
              <Heading tile={<Tile name={found.description.class} large />} title={title}>
                <span class="mono">{pid}</span>
                <Copy text={pid} label={t('record.copyPid')} />
                {found.title.in === 'zone' && <span class="tag">{t('record.inZone')}</span>}
                <Lock collection={collection} record={found.record} />
                <Panels place="heading" collection={collection} of={pid} />
              </Heading>
              <FormerIdentifier collection={collection} asked={asked} pid={pid} />
              {isCuratedNow && <Panels place="above" collection={collection} of={pid} />}
              <nav class="seg" aria-label={t('record.views')}>
                {tabs.map((name) => (
                  <a
                    key={name}
                    href={withQuery({ view: name === 'record' ? null : name })}
                    aria-current={name === view ? 'page' : undefined}
                  >
                    {t(`record.${name}`)}
                    {name === 'history' && history && <span class="n">{history.entries.length}</span>}
                  </a>
                ))}
              </nav>
              {view === 'record' && (
                <Slots
                  collection={collection}
                  description={found.description}
                  record={found.record}
                  skip={['pid']}
                />
              )}
              {view === 'json' && <Source text={JSON.stringify(found.record, null, 2)} />}
              {view === 'turtle' && <Turtle collection={collection} pid={pid} at={at} />}
              {view === 'history' && history && (
                <History
                  collection={collection}
                  history={history}
                  pid={pid}
                  description={found.description}
                  full
                />
              )}
            </>
          )}
        </div>
      </MainSheet>
      {found && (
        <SideSheet label={t('record.about')}>
          <Readers
            collection={collection}
            pid={pid}
            label={
              found.title.in === 'zone'
                ? (session.me.value?.collections[collection]?.label ?? undefined)
                : undefined
            }
          />
          {found.title.in === 'curated' && <Panels place="beside" collection={collection} of={pid} />}
          <LinksBack collection={collection} pid={pid} />
          <section>
            <ChooseDay key={day} day={day} />
          </section>
          {isCuratedNow && <Panels place="actions" collection={collection} of={pid} />}
          {history && view !== 'history' && (
            <section>
              <h2>
                {t('record.history')} <span class="n">{history.entries.length}</span>
              </h2>
              <History collection={collection} history={history} pid={pid} description={found.description} />
            </section>
          )}
        </SideSheet>
      )}
    </Sheets>
  );
}

function Source({ text }: { text: string }) {
  return (
    <div class="source">
      <Copy text={text} label={t('action.copy')} />
      <pre class="code">
        <bdi>{text}</bdi>
      </pre>
    </div>
  );
}

function Turtle({ collection, pid, at }: { collection: string; pid: string; at: string | undefined }) {
  const { value, error, reload } = useLoad(`${collection}/${pid}/${at}`, (signal) =>
    lab(collection, signal).getTurtle(pid, { at }),
  );
  return value ? <Source text={value} /> : <Loading error={error} retry={reload} />;
}

/** Says that the record was renamed, or that the one that was asked for was merged into it. */
function FormerIdentifier({ collection, asked, pid }: { collection: string; asked: string; pid: string }) {
  const { value: prefixes } = useLoad(asked === pid ? undefined : collection, () => readPrefixes(collection));
  if (!prefixes || expanded(prefixes, asked) === expanded(prefixes, pid)) return null;
  return (
    <p class="note">
      <Icon name="history" />
      <span>
        {t('record.former')} <span class="mono">{asked}</span>
      </span>
    </p>
  );
}
