/** The second step of an import: which slot each column goes to, or none. */
import { Icon } from '../../../../ui/shared/icons.tsx';
import type { Kind, Sheet, Targets } from './sheet.ts';
import { ti } from './texts.ts';

/** A slot that a column can go to. */
export type Choice = {
  readonly slot: string;
  readonly title: string;
  readonly required: boolean;
  readonly kind: Kind;
};

/** How identifiers are made for rows without one; undefined: they are not. */
export type IdentifierOptions = { readonly make: boolean; readonly prefix: string };

const EXAMPLES = 3;

/** The fault of the columns as they are, in a sentence; undefined if there is none. */
export function problemOfTargets(targets: Targets, choices: readonly Choice[]): string | undefined {
  const twice = targets.find((slot, index) => slot !== null && targets.indexOf(slot) !== index);
  if (twice == null) return undefined;
  return ti('twice', { name: choices.find(({ slot }) => slot === twice)?.title ?? twice });
}

export function ColumnsStep(props: {
  sheet: Sheet;
  targets: Targets;
  choices: readonly Choice[];
  onTargets: (targets: Targets) => void;
  making: IdentifierOptions;
  onMaking: (making: IdentifierOptions) => void;
}) {
  const { sheet, targets, choices, onTargets, making, onMaking } = props;
  const skipped = targets.filter((slot) => slot === null).length;
  const missing = choices.filter(
    ({ slot, required }) => required && slot !== 'pid' && !targets.includes(slot),
  );
  const problem = problemOfTargets(targets, choices);
  return (
    <>
      <div class="inner-scroll mapping" tabIndex={0} role="region" aria-label={ti('columns')}>
        <table class="inner">
          <thead>
            <tr>
              <th scope="col">{ti('column')}</th>
              <th scope="col">{ti('goesTo')}</th>
              <th scope="col" class="not-small">
                {ti('cells')}
              </th>
            </tr>
          </thead>
          <tbody>
            {sheet.header.map((header, index) => (
              <tr key={index}>
                <th scope="row">
                  <bdi>{header || '–'}</bdi>
                </th>
                <td>
                  <select
                    class="input"
                    aria-label={`${ti('goesTo')}: ${header}`}
                    value={targets[index] ?? ''}
                    onChange={(event) => onTargets(targets.with(index, event.currentTarget.value || null))}
                  >
                    <option value="">{ti('skip')}</option>
                    {choices.map(({ slot, title, required }) => (
                      <option key={slot} value={slot}>
                        {required ? `${title} (${ti('required')})` : title}
                      </option>
                    ))}
                  </select>
                </td>
                <td class="faint not-small">
                  <bdi>
                    {sheet.rows
                      .slice(0, EXAMPLES)
                      .map(({ cells }) => cells[index] || '–')
                      .join(' · ')}
                  </bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="form">
        {problem !== undefined && (
          <p class="note st-rejected" role="alert">
            <Icon name="warning" /> {problem}
          </p>
        )}
        {missing.length > 0 && (
          <p class="note st-diverged">
            {ti('requiredMissing', { names: missing.map(({ title }) => title).join(', ') })}
          </p>
        )}
        {skipped > 0 && <p class="muted small">{ti('skipped', { n: skipped })}</p>}
        <fieldset class="field">
          <legend>
            <label class="check-line">
              <input
                type="checkbox"
                checked={making.make}
                onChange={(event) => onMaking({ ...making, make: event.currentTarget.checked })}
              />{' '}
              {ti('make')}
            </label>
          </legend>
          <p class="help">{ti('makeHelp')}</p>
          {making.make && (
            <div class="field">
              <label for="import-prefix">{ti('prefix')}</label>
              <input
                class="input mono"
                id="import-prefix"
                value={making.prefix}
                onInput={(event) => onMaking({ ...making, prefix: event.currentTarget.value })}
              />
            </div>
          )}
        </fieldset>
      </div>
    </>
  );
}
