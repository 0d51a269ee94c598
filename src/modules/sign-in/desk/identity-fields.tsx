/** The fields that name an identity which has not signed in yet: its source and its subject. */
import { useState } from 'preact/hooks';
import { useLoad } from '../../../../ui/shared/load.ts';
import { SelectField } from '../../../../ui/shared/select-field.tsx';
import { service } from '../../../../ui/shared/service.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { type Identity, type SignInSource, signIn } from '../client.ts';
import { ts } from './texts.ts';

type Entered = {
  readonly identity: Identity;
  readonly sources: readonly SignInSource[];
  /** Whether the service has none. */
  readonly hasNoSource: boolean;
  readonly text: string;
  readonly setSource: (source: string) => void;
  readonly setText: (text: string) => void;
};

/** What is entered, at first the first source. */
export function useIdentity(given: Partial<Identity> = {}): Entered {
  const { value } = useLoad('sign-in sources', (signal) => service({ signal }).use(signIn).sources());
  const sources = value ?? [];
  const [chosen, setSource] = useState(given.source);
  const [text, setText] = useState(given.subject ?? '');
  const source = chosen ?? sources[0]?.name ?? '';
  const identity = { source, subject: text.trim() };
  return { identity, sources, hasNoSource: value?.length === 0, text, setSource, setText };
}

export function IdentityFields({ entered, problem }: { entered: Entered; problem: string | undefined }) {
  const { identity, sources, hasNoSource, text, setSource, setText } = entered;
  return (
    <>
      <SelectField
        first
        id="identity-source"
        label={ts('grant.source')}
        help={hasNoSource ? ts('grant.source_none') : undefined}
        value={identity.source}
        onChoose={setSource}
      >
        {sources.map((one) => (
          <option key={one.name} value={one.name}>
            {one.title}
          </option>
        ))}
      </SelectField>
      <TextField
        id="identity-subject"
        label={ts('grant.subject')}
        help={ts('grant.subject_help')}
        problem={problem}
        value={text}
        onText={setText}
      />
    </>
  );
}
