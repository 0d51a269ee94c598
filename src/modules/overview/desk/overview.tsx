/** The overview of a collection, of a class, or of what a filter of Browse selects. */
import { useState } from 'preact/hooks';
import { useFilterWords } from '../../../../ui/browse/filter-words.ts';
import { filterGroups, whereOf } from '../../../../ui/browse/filters.ts';
import { ClassTree } from '../../../../ui/shared/class-tree.tsx';
import { useContext, type ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Bones, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { place, urlOf } from '../../../../ui/shared/router.ts';
import { isNumeric, shortValue } from '../../../../ui/shared/scalar.tsx';
import {
  type ClassDescription,
  readClass,
  readClasses,
  type Slot,
  slotTitle,
  written,
} from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { useTitles } from '../../../../ui/shared/tile.tsx';
import { count } from '../../../../ui/shared/time.ts';
import { t } from '../../../../ui/texts/texts.ts';
import type { Overview } from '../api-types.ts';
import { overview } from '../client.ts';
import { Activity, Growth } from './activity.tsx';
import { filterOf, rangeWords } from './bars.ts';
import { Completeness } from './completeness.tsx';
import { Bars, Columns, INK, type Mark } from './plots.tsx';
import { browseUrl, type Scope, soughtIn } from './scope.ts';
import { to } from './texts.ts';
import { title } from './title.ts';

/** Slots whose values are shown at first, and with each step. */
const SHOWN = 6;
const MOST_BARS = 20;

export function OverviewPage({ collection }: ViewProps) {
  const { path, query } = place.value;
  const className = path[2];
  const classes = useLoad(collection, (signal) => readClasses(collection, signal), written.value);
  useContext(
    classes.value && (
      <ClassTree collection={collection} classes={classes.value} current={className} view="overview" />
    ),
    `${className}/${JSON.stringify(classes.value)}`,
  );
  const described = useLoad(className && `${collection}/${className}`, () =>
    readClass(collection, className!),
  );
  const scope: Scope = { collection, className, text: query.get('q') ?? '', where: whereOf(query) };
  const key = JSON.stringify(scope);
  const counted = useLoad(
    key,
    (signal) => lab(collection, signal).use(overview).counts(soughtIn(scope)),
    written.value,
  );
  const description = described.value?.class === className ? described.value : undefined;
  const isFiltered = scope.text !== '' || Object.keys(scope.where).length > 0;
  const { value } = counted;
  const failed = [counted, described, classes].find(({ error }) => error);
  return (
    <Sheets>
      <MainSheet
        title={title()}
        actions={
          <a class="btn" href={urlOf([collection, 'structure'])}>
            {to('structure')}
          </a>
        }
        crumbs={[
          { text: collection, href: urlOf([collection, 'overview']) },
          ...(className === undefined
            ? []
            : [
                { text: description?.title ?? className, href: browseUrl({ ...scope, text: '', where: {} }) },
              ]),
        ]}
      >
        <div class="page wide">
          {failed?.error && <ErrorNote error={failed.error} retry={failed.reload} />}
          {!value && !failed && <Bones rows={8} />}
          {value && (
            <>
              <p class="figure">
                <a href={browseUrl(scope)}>
                  <b class="num">{count(value.records)}</b> {to('records', { n: value.records })}
                </a>
              </p>
              {isFiltered && description && <FilterInWords scope={scope} description={description} />}
              <div class="plots">
                <ByClass
                  key={`${key} classes`}
                  scope={scope}
                  counts={value}
                  titles={titlesOf(classes.value ?? [])}
                />
                {!isFiltered && may(collection, 'read_curated') && <Growth scope={scope} />}
                <Completeness scope={scope} counts={value} description={description} />
                {!isFiltered && may(collection, 'curate') && <Activity scope={scope} />}
                {description && <Values key={key} scope={scope} description={description} counts={value} />}
              </div>
            </>
          )}
        </div>
      </MainSheet>
    </Sheets>
  );
}

type Titles = ReadonlyMap<string, string>;

function titlesOf(classes: readonly { readonly class: string; readonly title: string | null }[]): Titles {
  return new Map(classes.map((one) => [one.class, one.title ?? one.class]));
}

function FilterInWords({ scope, description }: { scope: Scope; description: ClassDescription }) {
  const words = useFilterWords(scope.collection, description, scope.where);
  const filters = filterGroups(scope.where).map((group) => group.map((one) => words(one).text).join(', '));
  const all = [...(scope.text === '' ? [] : [`“${scope.text}”`]), ...filters];
  return (
    <p>
      <bdi>{to('filtered', { filter: all.join('; ') })}</bdi>
    </p>
  );
}

function ByClass({ scope, counts, titles }: { scope: Scope; counts: Overview; titles: Titles }) {
  const marks = counts.classes
    .toSorted((a, b) => b.records - a.records)
    .map(
      (one): Mark => ({
        label: titles.get(one.class) ?? one.class,
        values: [one.records],
        href: browseUrl({ ...scope, className: one.class }),
      }),
    );
  return (
    <Bars
      title={to('byClass')}
      head={t('browse.classes')}
      series={[{ name: to('curated'), fill: INK }]}
      marks={marks}
    />
  );
}

/** Whether the values of a slot are counted as bars or in ranges: those of plain texts and identifiers are seldom the same. */
function isCounted({ range, identifier }: Slot): boolean {
  if (identifier) return false;
  if (range.kind === 'class') return !range.inlined;
  if (range.kind === 'enum') return true;
  return (
    range.kind === 'type' &&
    (isNumeric(range) || /^(boolean|date|datetime|date_or_datetime)$/.test(range.type))
  );
}

function Values({
  scope,
  description,
  counts,
}: {
  scope: Scope;
  description: ClassDescription;
  counts: Overview;
}) {
  const [shown, setShown] = useState(SHOWN);
  const filled = new Map(counts.slots.map(({ slot, records }) => [slot, records]));
  const slots = description.slots.filter((slot) => isCounted(slot) && (filled.get(slot.name) ?? 0) > 0);
  return (
    <>
      {slots.slice(0, shown).map((slot) => (
        <SlotPlot key={slot.name} scope={scope} slot={slot} />
      ))}
      {slots.length > shown && (
        <p>
          <button type="button" class="btn" onClick={() => setShown(shown + SHOWN)}>
            {to('more')}
          </button>
        </p>
      )}
    </>
  );
}

function SlotPlot({ scope, slot }: { scope: Scope; slot: Slot }) {
  const { collection } = scope;
  const { value, error, reload } = useLoad(
    slot.name,
    (signal) => lab(collection, signal).use(overview).values(slot.name, soughtIn(scope)),
    written.value,
  );
  const bars = (value?.bars ?? []).slice(0, value?.kind === 'values' ? MOST_BARS : undefined);
  const isReference = slot.range.kind === 'class';
  const titles = useTitles(collection, isReference ? bars.map((bar) => bar.value!) : []);
  const title = to('values', { slot: slotTitle(slot) });
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Bones rows={4} />;
  const labelOf = (bar: (typeof bars)[number]): string =>
    bar.value === undefined
      ? rangeWords(bar, value.kind)
      : valueName(bar.value, slot, (pid) => titles?.get(pid)?.title ?? undefined);
  const marks = bars.map(
    (bar): Mark => ({
      label: labelOf(bar),
      values: [bar.records],
      href: browseUrl(scope, filterOf(slot.name, bar)),
    }),
  );
  const props = {
    title,
    marks,
    head: slotTitle(slot),
    series: [{ name: to('curated'), fill: INK }],
    help: to('valuesHelp', { n: value.records }),
  };
  return value.kind === 'values' ? <Bars {...props} /> : <Columns {...props} />;
}

function valueName(value: string, slot: Slot, name: (pid: string) => string | undefined): string {
  const isBoolean = slot.range.kind === 'type' && slot.range.type === 'boolean';
  return isBoolean ? t(value === 'true' ? 'value.yes' : 'value.no') : shortValue(value, slot.range, name);
}
