/** Who is to decide on a submission, and until when: shown, and chosen in a dialog. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { written } from '../../../../ui/shared/schema.ts';
import { SelectField } from '../../../../ui/shared/select-field.tsx';
import { type ClientError, lab } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { shortTime } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { UserName } from '../../../../ui/shared/user-name.tsx';
import type { AssignmentRequest, Curator, Submission } from '../api-types.ts';
import { review } from '../client.ts';
import { tr } from './texts.ts';

export type Assigning = Pick<AssignmentRequest, 'assignee' | 'due'>;

/** The user of this tab, by whom submissions of a collection are decided. */
export function ownId(collection: string): string | undefined {
  return session.me.value?.collections[collection]?.user_id;
}

/** A curator by name, or `me`. */
export function Assignee({ collection, id }: { collection: string; id: string | null }) {
  if (id === null) return <span class="faint">{tr('assign.none')}</span>;
  if (id === ownId(collection)) return tr('assign.me');
  return <UserName collection={collection} id={id} />;
}

/** `due 3 May`, marked once it is over. */
export function DueTag({ due }: Pick<Submission, 'due'>) {
  if (due === null) return null;
  const isOver = Date.parse(due) < Date.now();
  return (
    <span class={isOver ? 'tag warn' : 'tag'}>
      {tr(isOver ? 'assign.overdue' : 'assign.due', { time: shortTime(due) })}
    </span>
  );
}

type Props = {
  collection: string;
  title: string;
  /** Who decides so far; undefined if it is about several submissions. */
  assignee?: string | null;
  /** @returns false if it was not assigned, though nothing was thrown */
  send: (chosen: Assigning) => Promise<unknown>;
  /** Whether it is not known yet what is assigned. */
  waits?: boolean;
  /** Why it was not assigned. */
  failure?: ClientError | undefined;
  /** Instead of a toast. */
  onSent?: () => void;
  onClose: () => void;
};

/** The option without a curator: ids of users are not empty. */
const UNASSIGNED = '';

export function AssignDialog({ collection, title, assignee, waits, send, failure, onSent, onClose }: Props) {
  const {
    value: curators,
    error: unread,
    reload,
  } = useLoad(`curators/${collection}`, (signal) => lab(collection, signal).use(review).curators());
  const me = ownId(collection);
  const [chosen, setChosen] = useState<string>();
  const [due, setDue] = useState('');
  // Mostly one takes what is unassigned.
  const isOffered = (id: string | null | undefined) => curators?.some(({ user_id }) => user_id === id);
  const first = assignee ?? (isOffered(me) ? me! : UNASSIGNED);
  const value = chosen ?? first;
  const { busy, error, run } = useAction(async () => {
    const day = due === '' ? undefined : new Date(`${due}T23:59:59`).toISOString();
    const assigning = { assignee: value || null, ...(day !== undefined && { due: day }) };
    if ((await send(assigning)) === false) return undefined;
    if (onSent) return onSent();
    toast(tr('assign.done', { n: 1 }));
    written.value++;
    return onClose();
  });
  return (
    <Dialog
      title={title}
      confirm={tr('assign.confirm')}
      busy={busy || waits === true || curators === undefined}
      error={error ?? failure}
      onConfirm={run}
      onClose={onClose}
    >
      {unread && <ErrorNote error={unread} retry={reload} />}
      <SelectField
        id="assignee"
        label={tr('assign.who')}
        help={tr('assign.help')}
        value={value}
        onChoose={setChosen}
        first
      >
        <option value={UNASSIGNED}>{tr('assign.none')}</option>
        {curators?.map((one) => (
          <option key={one.user_id} value={one.user_id}>
            {one.user_id === me ? `${tr('assign.me')}: ${nameOfCurator(one)}` : nameOfCurator(one)}
          </option>
        ))}
      </SelectField>
      {value !== UNASSIGNED && (
        <TextField
          id="due"
          type="date"
          label={tr('assign.until')}
          help={tr('assign.untilHelp')}
          value={due}
          onText={setDue}
        />
      )}
    </Dialog>
  );
}

/** A curator in a list to choose from. */
export function nameOfCurator({ user_id, name }: Curator): string {
  return name === null ? user_id : `${name} (${user_id})`;
}
