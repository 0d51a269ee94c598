/** The maintenance mode of a collection, for its curators: all other requests are refused. */
import { useState } from 'preact/hooks';
import type { ClientError } from '../../src/client/client.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { asClientError, lab, service } from '../shared/service.ts';
import { session } from '../shared/session.ts';
import { toast } from '../shared/toast.tsx';
import { t } from '../texts/texts.ts';
import { tc } from './texts.ts';

export function Maintenance({ collection }: { collection: string }) {
  const [problem, setProblem] = useState<ClientError>();
  const active = session.me.value?.collections[collection]?.maintenance ?? false;
  const change = async () => {
    try {
      setProblem(undefined);
      await lab(collection).maintenance(!active);
      session.me.value = await service().me();
      toast(t(active ? 'collections.open' : 'collections.paused', { name: collection }));
    } catch (caught) {
      setProblem(asClientError(caught));
    }
  };
  return (
    <section class="form" aria-labelledby="maintenance">
      <div>
        <h2 id="maintenance">{tc('maintenance')}</h2>
        <p class="muted small">{tc(active ? 'maintenanceOn' : 'maintenanceOff')}</p>
      </div>
      {problem && <ErrorNote error={problem} />}
      <p class="btns">
        <button type="button" class="btn" onClick={change}>
          {t(active ? 'collections.endMaintenance' : 'collections.maintenance')}
        </button>
      </p>
    </section>
  );
}
