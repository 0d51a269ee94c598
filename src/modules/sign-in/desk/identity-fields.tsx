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
  readonly text: string;
  readonly setSource: (source: string) => void;
  readonly setText: (text: string) => void;
};

/** What is entered, at first the first source. */
export function useIdentity(given: Partial<Identity> = {}): Entered {
  const sources =
    useLoad('sign-in sources', (signal) => service({ signal }).use(signIn).sources()).value ?? [];
  const [chosen, setSource] = useState(given.source);
  const [text, setText] = useState(given.subject ?? '');
  const source = chosen ?? sources[0]?.name ?? '';
  return { identity: { source, subject: text.trim() }, sources, text, setSource, setText };
}

export function IdentityFields({ entered, problem }: { entered: Entered; problem: string | undefined }) {
  const { identity, sources, text, setSource, setText } = entered;
  return (
    <>
      <SelectField
        first
        id="identity-source"
        label={ts('grant.source')}
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
