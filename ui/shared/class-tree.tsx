/** The classes of a collection as a tree with the number of their records. */

import { useState } from 'preact/hooks';
import type { ClassSummary } from '../../src/client/client.ts';
import { t } from '../texts/texts.ts';
import { Icon } from './icons.tsx';
import { urlOf } from './router.ts';
import { count } from './time.ts';

const FOLDED_FROM = 40;

type Node = { readonly summary: ClassSummary; readonly children: readonly Node[] };

/** Classes below their parents; those whose parent is not listed are roots. */
export function treeOf(classes: readonly ClassSummary[]): Node[] {
  const names = new Set(classes.map((one) => one.class));
  const below = (parent: string | null): Node[] =>
    classes
      .filter((one) => (parent === null ? one.is_a === null || !names.has(one.is_a) : one.is_a === parent))
      .sort((a, b) => (a.title ?? a.class).localeCompare(b.title ?? b.class))
      .map((summary) => ({ summary, children: below(summary.class) }));
  return below(null);
}

/** A class and all below it. */
export function familyOf(classes: readonly ClassSummary[], name: string): ClassSummary[] {
  const own = classes.find((one) => one.class === name);
  const children = classes.filter((one) => one.is_a === name);
  return [...(own ? [own] : []), ...children.flatMap((child) => familyOf(classes, child.class))];
}

export function ClassTree({
  collection,
  classes,
  current,
  view = 'browse',
}: {
  collection: string;
  classes: readonly ClassSummary[];
  current?: string | undefined;
  view?: string;
}) {
  const [filter, setFilter] = useState('');
  const many = classes.length > FOLDED_FROM;
  const matches = (one: ClassSummary) =>
    `${one.title ?? ''} ${one.class}`.toLowerCase().includes(filter.toLowerCase());
  const nodes =
    filter === '' ? treeOf(classes) : classes.filter(matches).map((summary) => ({ summary, children: [] }));
  return (
    <section aria-labelledby="rail-classes">
      <h2 id="rail-classes">{t('browse.classes')}</h2>
      {many && (
        <label class="find small-find">
          <Icon name="search" size={14} />
          <input
            type="search"
            aria-label={t('browse.filterClasses')}
            placeholder={t('browse.filterClasses')}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
      )}
      <Branch collection={collection} nodes={nodes} depth={0} current={current} folded={many} view={view} />
    </section>
  );
}

type BranchProps = {
  collection: string;
  nodes: readonly Node[];
  depth: number;
  current: string | undefined;
  folded: boolean;
  view: string;
};

function Branch({ collection, nodes, depth, current, folded, view }: BranchProps) {
  const [all, setAll] = useState(!folded);
  const shown = all ? nodes : nodes.filter(({ summary }) => summary.count > 0 || summary.class === current);
  const hidden = nodes.length - shown.length;
  return (
    <ul>
      {shown.map(({ summary, children }) => (
        <li key={summary.class}>
          <a
            class={`item depth-${Math.min(depth, 3)}`}
            href={urlOf([collection, view, summary.class])}
            aria-current={summary.class === current ? 'page' : undefined}
            title={summary.description ?? undefined}
          >
            <span class="clip">{summary.title ?? summary.class}</span>
            <span class="n">{count(summary.count)}</span>
          </a>
          {children.length > 0 && (
            <Branch
              collection={collection}
              nodes={children}
              depth={depth + 1}
              current={current}
              folded={folded}
              view={view}
            />
          )}
        </li>
      ))}
      {hidden > 0 && (
        <li>
          <button
            type="button"
            class={`item linkish depth-${Math.min(depth, 3)}`}
            onClick={() => setAll(true)}
          >
            {t('browse.withoutRecords', { n: hidden })}
          </button>
        </li>
      )}
    </ul>
  );
}
