/** Four steps that show a new submitter or curator where things are. They can be left, and found again. */
import { signal } from '@preact/signals';
import { moduleView } from '../modules.ts';
import { currentCollection } from '../shared/context.ts';
import { Icon } from '../shared/icons.tsx';
import { useLoad } from '../shared/load.ts';
import { place, urlOf } from '../shared/router.ts';
import { readClasses, usualClass } from '../shared/schema.ts';
import { may, session } from '../shared/session.ts';
import { nounOf } from '../texts/texts.ts';
import { type TourText, tt } from './tour-texts.ts';

/** The step that is shown. */
const step = signal<number | 'none' | 'left'>('none');

/** Where this browser remembers that the user has left the steps. */
const leftKey = () => `accession.tour:${session.me.value?.user_id ?? ''}`;

function leave(): void {
  localStorage.setItem(leftKey(), '');
  step.value = 'left';
}

/** Whether there are steps for the user. */
export function hasTour(): boolean {
  const collection = currentCollection();
  return may(collection, 'write_zone') || may(collection, 'curate');
}

export function beginTour(): void {
  step.value = 0;
}

type Step = { readonly name: string; readonly title: TourText; readonly text: TourText };

const SUBMITTER: readonly Step[] = [
  { name: 'browse', title: 'browse', text: 'browseText' },
  { name: 'new', title: 'form', text: 'formText' },
  { name: 'upload', title: 'upload', text: 'uploadText' },
  { name: 'submissions', title: 'submissions', text: 'submissionsText' },
];
const CURATOR: readonly Step[] = [
  { name: 'review', title: 'queue', text: 'queueText' },
  { name: 'review', title: 'decide', text: 'decideText' },
  { name: 'browse', title: 'edit', text: 'editText' },
  { name: 'stewardship', title: 'stewardship', text: 'stewardshipText' },
];
const OF_DESK = ['browse', 'new', 'stewardship'];

/** On the first page, an offer to those who have not seen the steps; in every view, the step that is shown. */
export function Tour() {
  const collection = currentCollection();
  const isOn = typeof step.value === 'number';
  const { value: classes } = useLoad(isOn ? collection : undefined, (signal) =>
    readClasses(collection!, signal),
  );
  if (!collection || !hasTour()) return null;
  if (typeof step.value !== 'number') {
    if (place.value.path.length > 0 || localStorage.getItem(leftKey()) !== null) return null;
    return (
      <section class="banner tour" aria-label={tt('title')}>
        <Icon name="help" />
        <span>{tt('offer')}</span>
        <span class="push btns">
          <button type="button" class="btn small" onClick={leave}>
            {tt('notNow')}
          </button>
          <button type="button" class="btn small primary" onClick={beginTour}>
            {tt('begin')}
          </button>
        </span>
      </section>
    );
  }
  const all = may(collection, 'curate') ? CURATOR : SUBMITTER;
  const steps = all.filter(({ name }) => OF_DESK.includes(name) || moduleView(name) !== undefined);
  const at = Math.min(step.value, steps.length - 1);
  const { name, title, text } = steps[at]!;
  const usual = classes?.find((one) => one.class === usualClass(classes));
  const noun = nounOf(usual?.title ?? usual?.class ?? tt('record'));
  const move = (to: number) => {
    step.value = to;
  };
  return (
    <section class="banner tour" aria-label={tt('title')}>
      <p aria-live="polite">
        <b>
          {tt('step', { n: at + 1, of: steps.length })} {tt(title, { noun })}
        </b>{' '}
        {tt(text, { collection, noun })} <a href={urlOf([collection, name])}>{tt('go')}</a>
      </p>
      <span class="push btns">
        <button type="button" class="btn small" onClick={leave}>
          {tt('leave')}
        </button>
        {at > 0 && (
          <button type="button" class="btn small" onClick={() => move(at - 1)}>
            {tt('back')}
          </button>
        )}
        <button
          type="button"
          class="btn small primary"
          onClick={() => (at + 1 < steps.length ? move(at + 1) : leave())}
        >
          {tt(at + 1 < steps.length ? 'next' : 'finish')}
        </button>
      </span>
    </section>
  );
}
