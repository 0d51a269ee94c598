/** Browse: the records of a class in a table, with a preview. */
import { useMemo, useState } from 'preact/hooks';
import { ClassTree, treeOf } from '../shared/class-tree.tsx';
import { useContext, type ViewProps } from '../shared/context.ts';
import { CopyLink } from '../shared/copy-link.tsx';
import { Icon } from '../shared/icons.tsx';
import { useSlotsOf } from '../shared/inlined.ts';
import type { JsonObject } from '../shared/json.ts';
import { useKeys } from '../shared/keys.ts';
import { useLoad } from '../shared/load.ts';
import { Bones, Empty, ErrorNote } from '../shared/notes.tsx';
import { OthersLine, useOthers } from '../shared/others.tsx';
import { usePages } from '../shared/pages.ts';
import { readPage } from '../shared/records.ts';
import { go, place, urlOf, withQuery } from '../shared/router.ts';
import { type ClassDescription, readClass, readClasses, usualClass, written } from '../shared/schema.ts';
import { SearchField } from '../shared/search-field.tsx';
import { useSelection } from '../shared/selection.ts';
import { SelectionBar } from '../shared/selection-bar.tsx';
import { may } from '../shared/session.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { useSteadyRow } from '../shared/steady-row.ts';
import { DataTable } from '../shared/table.tsx';
import { useTitles } from '../shared/tile.tsx';
import { count } from '../shared/time.ts';
import { ViewLinks } from '../shared/view-links.tsx';
import { hasRail, isWide } from '../shared/width.ts';
import { keyNames, nounOf, t } from '../texts/texts.ts';
import { ActiveFilters, BrowseTools, ToolBars } from './browse-tools.tsx';
import { ChangeDialog, undoLastChanges } from './change-dialog.tsx';
import { columnsOf, shownColumns } from './columns.ts';
import { ColumnsButton } from './columns-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { FacetPanel, FacetsToggle, useFacetPanel } from './facet-panel.tsx';
import { whereOf, withoutFilters } from './filters.ts';
import { PasteDialog } from './paste-dialog.tsx';
import { Preview } from './preview.tsx';
import { recordColumns, sharesOf } from './record-columns.tsx';
import { tb } from './texts.ts';
import { useCells } from './use-cells.ts';
import { useWidths } from './widths.ts';

const RAIL = 240;
const PREVIEW = 388;
const TITLE = 280;
const COLUMN = 160;

/** How many columns fit beside the name. */
function fitting(withPreview: boolean): number {
  const rail = hasRail.value ? RAIL : 0;
  return Math.max(1, Math.floor((innerWidth - rail - (withPreview ? PREVIEW : 0) - TITLE) / COLUMN));
}

export function Browse({ collection }: ViewProps) {
  const { path } = place.value;
  const classes = useLoad(`${collection}`, (signal) => readClasses(collection, signal), written.value);
  // The root of all classes has columns that most records leave empty.
  const first = classes.value && (usualClass(classes.value) ?? treeOf(classes.value)[0]?.summary.class);
  const className = path[2] ?? first;
  useContext(
    classes.value && <ClassTree collection={collection} classes={classes.value} current={className} />,
    `${className}/${JSON.stringify(classes.value)}`,
  );
  const described = useLoad(className && `${collection}/${className}`, () =>
    readClass(collection, className!),
  );
  const failed = [classes, described].find(({ error }) => error);
  if (failed?.error) {
    return (
      <Sheets>
        <MainSheet title={className ?? t('rail.browse')}>
          <div class="page">
            <ErrorNote error={failed.error} retry={failed.reload} />
          </div>
        </MainSheet>
      </Sheets>
    );
  }
  if (classes.value?.length === 0) {
    return (
      <Sheets>
        <MainSheet title={t('rail.browse')}>
          <div class="page">
            <Empty title={t('browse.noClasses')} />
          </div>
        </MainSheet>
      </Sheets>
    );
  }
  const description = described.value;
  if (!description || description.class !== className)
    return (
      <Sheets>
        <MainSheet title={className ?? t('rail.browse')}>
          <Bones />
        </MainSheet>
      </Sheets>
    );
  return <ClassTable key={className} collection={collection} description={description} />;
}

const pidOf = ({ pid }: JsonObject) => String(pid);

function ClassTable({ collection, description }: { collection: string; description: ClassDescription }) {
  const { query } = place.value;
  const name = description.title ?? description.class;
  const search = query.get('q') ?? '';
  const sort = query.get('sort') ?? '';
  const where = whereOf(query);
  const others = useOthers(collection, { className: description.class });
  const listQuery = { text: search, sort, where };
  const list = JSON.stringify([collection, description.class, search, sort, where]);
  const [meant, setMeant] = useState<string>();
  const [instead, setInstead] = useState<string>();
  const pages = usePages(list, async ({ page, size }, signal) => {
    const found = await readPage(collection, description.class, { ...listQuery, page, size }, signal);
    setMeant(found.did_you_mean);
    setInstead(found.searched_for);
    return found;
  });
  const selection = useSelection(list, pages, pidOf);
  const [dialog, setDialog] = useState<'change' | 'export'>();
  const { index: current, row: currentRow, moveTo: setCurrent } = useSteadyRow(list, pages, pidOf);
  const [range, setRange] = useState<[number, number]>([0, 40]);
  const rows = Array.from({ length: Math.max(0, range[1] - range[0]) }, (_, i) =>
    pages.rowAt(range[0] + i),
  ).filter((row) => row !== undefined);
  // Narrow screens have no room beside the table: there the record is a separate page.
  const preview = isWide.value ? query.get('preview') : null;
  const facets = useFacetPanel();
  const slots =
    shownColumns(collection, description) ?? columnsOf(description).slice(0, fitting(preview !== null));
  const titles = useTitles(
    collection,
    rows.map(({ pid }) => String(pid)),
  );
  const linked = rows
    .flatMap((row) =>
      slots
        .filter(({ range: kind }) => kind.kind === 'class' && !kind.inlined)
        .flatMap(({ name: slot }) => [row[slot]].flat().slice(0, 1)),
    )
    .filter((value) => typeof value === 'string');
  const names = useTitles(collection, [...new Set(linked)]);
  // A cell has the values of an object, not those of objects within it.
  const slotsOf = useSlotsOf(collection, slots, 1);
  const byContent = useMemo(
    () => sharesOf(description, slots, rows, names),
    [list, slots.map(({ name: slot }) => slot).join(), pages.loaded, names === undefined],
  );
  const widths = useWidths(collection, description, byContent);
  const mayWrite = may(collection, 'write_zone') || may(collection, 'curate');
  const [begin, setBegin] = useState<string>();
  const cells = useCells({
    name,
    slots,
    pages,
    row: { index: current, isThere: currentRow !== undefined, moveTo: setCurrent },
    mayWrite,
    isBusy: dialog !== undefined,
    editInDialog: (slot) => {
      selection.clear();
      setBegin(slot);
      setDialog('change');
    },
  });
  const { column, pasted } = cells;
  const openPreview = (index: number) => {
    setCurrent(index);
    const pid = pages.rowAt(index)?.pid;
    if (cells.editing === undefined && isWide.value && pid)
      go(withQuery({ preview: String(pid) }), { replace: true });
  };
  const open = (pid: string) => go(urlOf([collection, 'record'], { pid }));
  const chosen = selection.rows.length > 0 ? selection.rows : [pages.rowAt(current)];
  const toChange = chosen.filter((row) => row !== undefined);
  const change = () => (mayWrite && toChange.length > 0 ? setDialog('change') : false);
  useKeys({
    ' ': (event) => ((event.target as Element).closest('button, a, input') ? false : openPreview(current)),
    c: () => (mayWrite ? go(urlOf([collection, 'new', description.class])) : false),
    e: () =>
      mayWrite && pages.rowAt(current)
        ? go(urlOf([collection, 'edit'], { pid: String(pages.rowAt(current)!.pid) }))
        : false,
    ArrowRight: cells.move(1),
    ArrowLeft: cells.move(-1),
    v: change,
    'shift+f': facets.enter,
    u: () => undoLastChanges(collection),
    'ctrl+a': (event) =>
      mayWrite && !(event.target as Element).closest('input[type=search], textarea')
        ? selection.selectMore()
        : false,
    x: () => (mayWrite && pages.rowAt(current) ? selection.toggle(current) : false),
    'shift+x': () => (mayWrite ? selection.extendTo(current) : false),
    Escape: () =>
      selection.size > 0
        ? selection.clear()
        : preview
          ? go(withQuery({ preview: null }), { replace: true })
          : false,
  });
  const noun = nounOf(name);
  return (
    <Sheets second={preview ? 'two' : undefined}>
      <MainSheet
        title={name}
        label={t('browse.records', { name })}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        aside={
          pages.loaded ? (
            <span class="faint num"> {count(pages.total) + (pages.more ? '+' : '')}</span>
          ) : undefined
        }
        actions={
          <>
            <CopyLink collection={collection} />
            {mayWrite && (
              <a class="btn primary" href={urlOf([collection, 'new', description.class])}>
                <Icon name="plus" />
                {t('browse.new', { noun })}
              </a>
            )}
          </>
        }
        tools={
          <>
            <SearchField label={t('browse.search', { name })} />
            <span class="push" />
            {mayWrite && selection.size > 0 ? (
              <span class="btns">
                <button type="button" class="btn" onClick={change}>
                  <Icon name="pencil" />
                  {tb('change')} <span class="n">{count(selection.size)}</span>
                </button>
                <button type="button" class="btn" onClick={() => setDialog('export')}>
                  <Icon name="download" />
                  {tb('export')} <span class="n">{count(selection.size)}</span>
                </button>
              </span>
            ) : (
              <>
                <FacetsToggle {...facets} />
                <BrowseTools {...{ collection, description, slots, shares: widths.own, ...listQuery }} />
                <ColumnsButton collection={collection} description={description} />
                <ViewLinks
                  place="browse"
                  collection={collection}
                  class="btn quiet"
                  className={description.class}
                />
              </>
            )}
          </>
        }
        filters={
          <>
            <ToolBars collection={collection} className={description.class} />
            <ActiveFilters {...{ collection, description, where }} text={search} />
          </>
        }
        beside={
          facets.isShown ? (
            <FacetPanel {...{ collection, description, where }} text={search} panel={facets} />
          ) : null
        }
        foot={
          <div class="foot">
            <span aria-live="polite">
              {pages.loaded && t(pages.more ? 'browse.countMore' : 'browse.count', { n: pages.total })}
            </span>
            <span class="push keys-hint">
              <kbd>J</kbd>
              <kbd>K</kbd> {t('hint.move')} <kbd>{keyNames('Enter')}</kbd> {t('hint.open')}{' '}
              {mayWrite && (
                <>
                  <kbd>→</kbd> {tb('cells')} <kbd>E</kbd> {t('hint.edit')} <kbd>X</kbd> {t('hint.select')}{' '}
                  <kbd>V</kbd> {tb('change')}
                </>
              )}
            </span>
          </div>
        }
      >
        <OthersLine collection={collection} changes={others} of="list" />
        <div role="status">
          {instead !== undefined && <p class="banner">{t('browse.searchedFor', { text: instead })}</p>}
        </div>
        <SelectionBar selection={selection} pages={pages} />
        {pages.error && !pages.loaded && (
          <div class="page">
            <ErrorNote error={pages.error} retry={pages.reload} />
          </div>
        )}
        {!pages.loaded && !pages.error && <Bones rows={12} />}
        {pages.loaded && pages.total === 0 && (
          <div class="page">
            {search === '' && Object.keys(where).length === 0 ? (
              <Empty title={t('browse.empty', { name })}>
                <p class="btns">
                  {mayWrite && (
                    <a class="btn primary" href={urlOf([collection, 'new', description.class])}>
                      {t('browse.new', { noun })}
                    </a>
                  )}
                </p>
              </Empty>
            ) : (
              <Empty title={search === '' ? t('browse.noneFiltered') : t('browse.noMatch', { text: search })}>
                <p class="btns">
                  {meant !== undefined && (
                    <a class="btn primary" href={withQuery({ q: meant })}>
                      {t('browse.didYouMean', { text: meant })}
                    </a>
                  )}
                  <a class="btn" href={withoutFilters()}>
                    {t('action.clearFilter')}
                  </a>
                </p>
              </Empty>
            )}
          </div>
        )}
        {pages.loaded && pages.total > 0 && (
          <DataTable
            caption={t('browse.records', { name })}
            columns={recordColumns({
              collection,
              description,
              slots,
              titles,
              names,
              slotsOf,
              widths,
              cells,
              ...(mayWrite && { selection }),
            })}
            isChecked={selection.has}
            total={pages.total}
            rowAt={pages.rowAt}
            keyOf={pidOf}
            current={current}
            onCurrent={openPreview}
            onOpen={(row) => (column === undefined ? open(String(row.pid)) : cells.begin(current, column))}
            onRange={(from, to) => {
              pages.onRange(from, to);
              setRange([from, to]);
            }}
            stale={pages.stale}
          />
        )}
        {dialog === 'change' && (
          <ChangeDialog
            {...{ collection, description, rows: toChange, begin }}
            whole={selection.isWhole ? { query: listQuery, total: pages.total } : undefined}
            onClose={() => {
              setDialog(undefined);
              setBegin(undefined);
              selection.clear();
            }}
          />
        )}
        {pasted && <PasteDialog collection={collection} pasted={pasted} onClose={cells.closePasted} />}
        {dialog === 'export' && (
          <ExportDialog
            {...{ collection, description, slots, query: listQuery }}
            {...(!selection.isWhole && { rows: selection.rows })}
            onClose={() => setDialog(undefined)}
          />
        )}
      </MainSheet>
      {preview && <Preview collection={collection} pid={preview} />}
    </Sheets>
  );
}
