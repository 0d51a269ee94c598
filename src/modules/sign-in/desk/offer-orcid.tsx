/** Offers the ORCID iD of the person for a slot that has none. */
import { useLoad } from '../../../../ui/shared/load.ts';
import type { OfferProps } from '../../../../ui/shared/people.ts';
import { service } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import { signIn } from '../client.ts';
import { orcidFor } from './orcid-slot.ts';
import { ts } from './texts.ts';

export function OfferOrcid({ slot, onChoose }: OfferProps) {
  const { value } = useLoad(session.token.value, (signal) => service({ signal }).use(signIn).sessions());
  const offered = value?.person.orcid ? orcidFor(slot, value.person.orcid) : undefined;
  if (offered === undefined) return null;
  return (
    <p>
      <button type="button" class="linkish" onClick={() => onChoose(offered)}>
        {ts('orcid.use', { id: offered.slice(-'0000-0000-0000-0000'.length) })}
      </button>
    </p>
  );
}
