/** States of submissions: each has a color, a shape and a word. */

import { type Key, t } from '../texts/texts.ts';
import type { StateName } from './state-names.ts';

export type { StateName };

const line = {
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': 1.4,
  'stroke-linecap': 'round',
} as const;
const cut = {
  fill: 'none',
  stroke: 'var(--sheet)',
  'stroke-width': 1.6,
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
} as const;

const SHAPES: Readonly<Record<StateName, () => preact.JSX.Element>> = {
  new: () => (
    <>
      <circle cx="8" cy="8" r="6.5" fill="currentColor" />
      <path d="M8 5v6M5 8h6" {...cut} />
    </>
  ),
  changed: () => (
    <>
      <path d="M8 1.8 14.6 13.6H1.4z" fill="currentColor" stroke="currentColor" stroke-linejoin="round" />
      <path d="M6 11h4" {...cut} />
    </>
  ),
  diverged: () => (
    <>
      <path d="M8 .9 15.1 8 8 15.1.9 8z" fill="currentColor" />
      <path d="M8 11.2V8.6L5.7 6.2M8 8.6l2.3-2.4" {...cut} />
    </>
  ),
  same: () => (
    <>
      <circle cx="8" cy="8" r="5.8" {...line} />
      <path d="M5.6 6.9h4.8M5.6 9.3h4.8" {...line} />
    </>
  ),
  waiting: () => <circle cx="8" cy="8" r="5.8" {...line} stroke-dasharray="2 2.55" />,
  deferred: () => (
    <>
      <circle cx="8" cy="8" r="5.8" {...line} />
      <path d="M8 4.8V8l2.2 1.5" {...line} />
    </>
  ),
  rejected: () => (
    <>
      <rect x="1.8" y="1.8" width="12.4" height="12.4" rx="3" fill="currentColor" />
      <path d="m5.6 5.6 4.8 4.8M10.4 5.6l-4.8 4.8" {...cut} />
    </>
  ),
  accepted: () => (
    <>
      <circle cx="8" cy="8" r="6.5" fill="currentColor" />
      <path d="m5 8.3 2.1 2.1L11 6" {...cut} />
    </>
  ),
  withdrawn: () => (
    <>
      <circle cx="8" cy="8" r="5.8" {...line} />
      <path d="M10.5 8h-5M7.5 6 5.5 8l2 2" {...line} />
    </>
  ),
  removed: () => (
    <>
      <circle cx="8" cy="8" r="5.8" {...line} />
      <path d="M5.6 8h4.8" {...line} />
    </>
  ),
};

export function stateWord(name: StateName): string {
  return t(`state.${name}` as Key);
}

/** The shape alone; the word has to be beside it. */
export function StateMark({ name, size = 14 }: { name: StateName; size?: number }) {
  return (
    <svg class={`state st-${name}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[name]()}
    </svg>
  );
}

/** Shape and word; as a chip on a ground of its color. */
export function State({ name, chip = false }: { name: StateName; chip?: boolean }) {
  return (
    <span class={`${chip ? 'chip' : 'st'} st-${name}`}>
      <StateMark name={name} />
      {stateWord(name)}
    </span>
  );
}
