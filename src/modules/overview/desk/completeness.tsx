/** How many records have a value of each slot, the least complete first. */
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import { slotTitle } from '../../../../ui/shared/schema.ts';
import { count } from '../../../../ui/shared/time.ts';
import type { Overview } from '../api-types.ts';
import { saveCsv } from './keep-plot.ts';
import { browseUrl, type Scope } from './scope.ts';
import { to } from './texts.ts';

type Props = {
  scope: Scope;
  counts: Overview;
  description: ClassDescription | undefined;
};

export function Completeness({ scope, counts, description }: Props) {
  const titleOf = (name: string) => {
    const slot = description?.slots.find((one) => one.name === name);
    return slotTitle(slot ?? { name });
  };
  const rows = counts.slots.map((one) => ({
    ...one,
    title: titleOf(one.slot),
    missing: one.of - one.records,
  }));
  const title = to('completeness');
  const heads = [to('slot'), to('share'), to('curated')];
  const keep = () =>
    saveCsv(
      heads,
      rows.map((row) => [row.title, row.records / row.of, `${row.records}/${row.of}`]),
      title,
    );
  if (rows.length === 0)
    return (
      <section class="plot" aria-label={title}>
        <div class="head">
          <h2>{title}</h2>
        </div>
        <p class="faint">{to('noChart')}</p>
      </section>
    );
  return (
    <section class="plot" aria-label={title}>
      <div class="head">
        <h2>{title}</h2>
        <span class="push" />
        <button
          type="button"
          class="btn quiet small"
          aria-label={to('keep', { title, format: 'CSV' })}
          onClick={keep}
        >
          {to('csv')}
        </button>
      </div>
      <p class="muted">{to('completenessHelp')}</p>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{heads[0]}</th>
            <th scope="col" colSpan={2}>
              {heads[1]}
            </th>
            <th scope="col" class="num not-small">
              {heads[2]}
            </th>
            <th scope="col" class="num">
              {to('without')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ slot, title: name, records, of, missing, class: owner }) => {
            const className = scope.className ?? owner ?? undefined;
            return (
              <tr key={slot}>
                <th scope="row">
                  <bdi>{name}</bdi>
                </th>
                <td>
                  <svg class="meter" width="80" height="8" aria-hidden="true">
                    <rect width="80" height="8" fill="var(--line-firm)" />
                    <rect width={(80 * records) / of} height="8" fill="var(--ink-2)" />
                  </svg>
                </td>
                <td class="num">{(records / of).toLocaleString(document.documentElement.lang, PERCENT)}</td>
                <td class="num not-small">{to('of', { n: count(records), all: count(of) })}</td>
                <td class="num">
                  {missing > 0 && className !== undefined ? (
                    <a
                      href={browseUrl({ ...scope, className }, { [`${slot}.filled`]: ['false'] })}
                      aria-label={`${name}: ${to('missing', { n: missing })}`}
                    >
                      {count(missing)}
                    </a>
                  ) : (
                    count(missing)
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** Rounded down, so only what is complete has 100 %. */
const PERCENT = {
  style: 'percent',
  maximumFractionDigits: 1,
  roundingMode: 'floor',
} as Intl.NumberFormatOptions;
