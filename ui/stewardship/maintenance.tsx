/** The maintenance mode of a collection, for its curators: all other requests are refused. */

import { useAction } from '../shared/action.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { lab, service } from '../shared/service.ts';
import { session } from '../shared/session.ts';
import { toast } from '../shared/toast.tsx';
import { t } from '../texts/texts.ts';
import { tst } from './texts.ts';

export function Maintenance({ collection }: { collection: string }) {
  const active = session.me.value?.collections[collection]?.maintenance ?? false;
  const { busy, error, run } = useAction(async () => {
    await lab(collection).maintenance(!active);
    session.me.value = await service().me();
    toast(t(active ? 'collections.open' : 'collections.paused', { name: collection }));
  });
  return (
    <section class="form" aria-labelledby="maintenance">
      <div>
        <h2 id="maintenance">{tst('maintenance')}</h2>
        <p class="muted small">{tst(active ? 'maintenanceOn' : 'maintenanceOff')}</p>
      </div>
      {error && <ErrorNote error={error} />}
      <p class="btns">
        <button type="button" class="btn" disabled={busy} onClick={run}>
          {t(active ? 'collections.endMaintenance' : 'collections.maintenance')}
        </button>
      </p>
    </section>
  );
}
