/** Whom to invite, and what the token of that person permits. */

import { WRITING } from '../../../../ui/admin/elements.ts';
import { ModeOptions } from '../../../../ui/admin/mode-options.tsx';
import { ta } from '../../../../ui/admin/texts.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import { dayFromNow } from '../../../../ui/shared/days.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useKept } from '../../../../ui/shared/kept.ts';
import { SelectField } from '../../../../ui/shared/select-field.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import { invitations, type NewInvitation } from '../client.ts';
import { ti } from './texts.ts';

type FormInput = {
  person: string;
  name: string;
  mode: string;
  label: string;
  until: string;
  expires: string;
};
type FieldKey = Exclude<keyof FormInput, 'mode'>;

const EMPTY: FormInput = {
  person: '',
  name: '',
  mode: 'WRITE_COLLECTION',
  label: '',
  expires: '',
  until: dayFromNow(7),
};

/** The names of the fields where the service calls them otherwise. */
const NAMES: Readonly<Partial<Record<FieldKey, string>>> = { person: 'user_id', label: 'incoming_label' };

/** `ann` of `ann@example.org`: the token and the zone are called so unless they are named otherwise. */
function shortName(person: string): string {
  return person
    .trim()
    .split('@')[0]!
    .replaceAll(/[^\w.-]+/g, '-')
    .toLowerCase();
}

export function InviteDialog(props: {
  collection: string;
  onInvited: (invitation: NewInvitation) => void;
  onClose: () => void;
}) {
  const { collection, onInvited, onClose } = props;
  const [typed, setTyped, forget] = useKept<FormInput>(`invite/${collection}`, EMPTY);
  const isWriting = WRITING.has(typed.mode);
  const name = typed.name.trim() || shortName(typed.person);
  const shown: readonly FieldKey[] = [
    'person',
    'name',
    ...(isWriting ? (['label'] as const) : []),
    'until',
    'expires',
  ];
  const { busy, error, run } = useAction(async () => {
    const made = await lab(collection)
      .use(invitations)
      .create({
        name,
        user_id: typed.person.trim(),
        mode: typed.mode as NewInvitation['mode'],
        ...(isWriting && { incoming_label: typed.label.trim() || name }),
        ...(typed.until !== '' && { until: typed.until }),
        ...(typed.expires !== '' && { expires: typed.expires }),
      });
    forget();
    onInvited(made);
  });
  const problemIn = (key: FieldKey) =>
    error?.problems.find(({ loc }) => loc.includes(NAMES[key] ?? key))?.msg ??
    (error && key === 'person' && name === '' ? ta('required') : undefined);
  const placeholders: Partial<Record<FieldKey, string>> = { name, label: name };
  const field = (key: FieldKey) => (
    <TextField
      key={key}
      id={`invite-${key}`}
      label={ti(`${key}`)}
      help={ti(`${key}_help`)}
      problem={problemIn(key)}
      type={key === 'until' || key === 'expires' ? 'date' : 'text'}
      placeholder={placeholders[key]}
      first={key === 'person'}
      value={typed[key]}
      onText={(text) => setTyped({ ...typed, [key]: text })}
    />
  );
  return (
    <Dialog
      wide
      busy={busy}
      error={shown.some(problemIn) ? undefined : error}
      title={ti('addTitle', { name: collection })}
      confirm={ti('confirm')}
      onConfirm={run}
      onClose={onClose}
    >
      {field('person')}
      <SelectField
        id="invite-mode"
        label={t('tokens.modeIn', { name: collection })}
        value={typed.mode}
        onChoose={(chosen) => setTyped({ ...typed, mode: chosen })}
      >
        <ModeOptions />
      </SelectField>
      <div class="two-up">{shown.slice(1).map(field)}</div>
    </Dialog>
  );
}
