/** A webhook: its URL, and which changes it is sent. */

import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useKept } from '../../../../ui/shared/kept.ts';
import { NamesField } from '../../../../ui/shared/names-field.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { CHANGE_KINDS } from '../../../core/collections/change-kinds.ts';
import type { Webhook } from '../api-types.ts';
import { webhooks } from '../client.ts';
import { tw } from './texts.ts';

const FORMATS = ['standard', 'cloudevents'] as const;
const TEXTS = ['name', 'url'] as const;

type FormInput = { name: string; url: string; classes: string[]; kinds: string[]; format: string };

export function WebhookDialog(props: {
  collection: string;
  webhook: Webhook | undefined;
  /** The names of all webhooks: a new one replaces none of them. */
  others: readonly string[];
  onStored: (stored: { name: string; secret: string | null }) => void;
  onClose: () => void;
}) {
  const { collection, webhook, others, onStored, onClose } = props;
  const [typed, setTyped, forget] = useKept<FormInput>(`webhooks/${collection}/${webhook?.name ?? ''}`, {
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    classes: [...(webhook?.classes ?? [])],
    kinds: [...(webhook?.kinds ?? [])],
    format: webhook?.format ?? 'standard',
  });
  const isTaken = webhook === undefined && others.includes(typed.name.trim());
  const { busy, error, run } = useAction(async () => {
    if (isTaken) return document.getElementById('webhook-name')?.focus();
    const { secret, name } = await lab(collection)
      .use(webhooks)
      .put(typed.name.trim(), {
        url: typed.url.trim(),
        classes: typed.classes,
        kinds: CHANGE_KINDS.filter((kind) => typed.kinds.includes(kind)),
        format: FORMATS.find((one) => one === typed.format)!,
      });
    forget();
    onStored({ name, secret });
  });
  const problemIn = (key: string) =>
    key === 'name' && isTaken ? tw('taken') : error?.problems.find(({ loc }) => loc.includes(key))?.msg;
  return (
    <Dialog
      wide
      busy={busy}
      error={[...TEXTS, 'classes'].some(problemIn) ? undefined : error}
      title={webhook ? tw('editTitle', { name: webhook.name }) : tw('add')}
      confirm={tw(webhook ? 'save' : 'create')}
      onConfirm={run}
      onClose={onClose}
    >
      {TEXTS.map((key) => (
        <TextField
          key={key}
          id={`webhook-${key}`}
          label={tw(key)}
          help={key === 'name' ? undefined : tw(`${key}_help`)}
          problem={problemIn(key)}
          first={(webhook ? 'url' : 'name') === key}
          readOnly={key === 'name' && webhook !== undefined}
          value={typed[key]}
          onText={(text) => setTyped({ ...typed, [key]: text })}
        />
      ))}
      <NamesField
        id="webhook-classes"
        label={tw('classes')}
        help={tw('classes_help')}
        problem={problemIn('classes')}
        names={typed.classes}
        onNames={(classes) => setTyped({ ...typed, classes })}
      />
      <fieldset class="field">
        <legend>{tw('kinds')}</legend>
        <div class="radios">
          {CHANGE_KINDS.map((kind) => (
            <label key={kind}>
              <input
                type="checkbox"
                checked={typed.kinds.includes(kind)}
                onChange={({ currentTarget: { checked } }) => {
                  const others = typed.kinds.filter((one) => one !== kind);
                  setTyped({ ...typed, kinds: checked ? [...others, kind] : others });
                }}
              />
              {tw(kind)}
            </label>
          ))}
        </div>
        <p class="help">{tw('kinds_help')}</p>
      </fieldset>
      <fieldset class="field">
        <legend>{tw('format')}</legend>
        <div class="radios">
          {FORMATS.map((format) => (
            <label key={format}>
              <input
                type="radio"
                name="webhook-format"
                checked={typed.format === format}
                onChange={() => setTyped({ ...typed, format })}
              />
              {tw(format)}
            </label>
          ))}
        </div>
      </fieldset>
    </Dialog>
  );
}
