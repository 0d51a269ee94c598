/** A range of the numbers or dates of a slot, beside the table: each end is a filter as soon as it is typed. */
import { useEffect, useState } from 'preact/hooks';
import { lazily } from '../frame/lazily.tsx';
import type { RangeChartProps } from '../module.ts';
import { RANGE_CHART } from '../modules.ts';
import { go } from '../shared/router.ts';
import { type Slot, slotTitle } from '../shared/schema.ts';
import { TextField } from '../shared/text-field.tsx';
import { boundHint, boundProblem, storedBound, typedBound } from './bounds.ts';
import { filterAlone, filterName, type Where, withFilters } from './filters.ts';
import { tb } from './texts.ts';

const Chart = RANGE_CHART && lazily('range chart', RANGE_CHART);

export function RangeFacet(props: RangeChartProps) {
  const { slot, where } = props;
  return (
    <fieldset class="facet plain-set stack-s">
      <legend class="label">{slotTitle(slot)}</legend>
      {Chart && <Chart {...props} />}
      <End slot={slot} where={where} condition="from" />
      <End slot={slot} where={where} condition="to" />
    </fieldset>
  );
}

function End({ slot, where, condition }: { slot: Slot; where: Where; condition: 'from' | 'to' }) {
  const values = filterAlone(where, slot.name, condition)?.values ?? [];
  // Alternatives are in the list of filters only.
  const applied = values.length === 1 ? typedBound(values[0]!, slot) : '';
  const [typed, setTyped] = useState(applied);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    setTyped(applied);
    setProblem(undefined);
  }, [applied]);
  const apply = () => {
    const text = typed.trim();
    const bound = text === '' ? [] : storedBound(text, slot, condition);
    if (bound === undefined) return setProblem(boundProblem(slot));
    go(withFilters({ [filterName(slot.name, condition)]: [bound].flat() }));
  };
  return (
    <TextField
      id={`facet-${slot.name}-${condition}`}
      label={tb(condition === 'from' ? 'rangeFrom' : 'rangeTo')}
      value={typed}
      placeholder={boundHint(slot)}
      problem={problem}
      autocomplete="off"
      onText={(text) => {
        setTyped(text);
        setProblem(undefined);
      }}
      onChange={apply}
    />
  );
}
