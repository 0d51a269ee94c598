/** A record beside the table. */
import { useLoad } from '../base/load.ts';
import { readRecord } from '../base/records.ts';
import { go, urlOf, withQuery } from '../base/router.ts';
import { readClass, readTitles, titleIn, written } from '../base/schema.ts';
import { t } from '../texts/texts.ts';
import { Copy } from './copy.tsx';
import { Icon } from './icons.tsx';
import { LinksBack } from './links-back.tsx';
import { ErrorNote } from './notes.tsx';
import { SideSheet } from './sheet.tsx';
import { Slots } from './value.tsx';

export function Preview({ collection, pid }: { collection: string; pid: string }) {
  const { value, error } = useLoad(`${collection}/${pid}/${written.value}`, async (signal) => {
    const [found, titles] = await Promise.all([
      readRecord(collection, pid, { signal }),
      readTitles(collection, [pid]),
    ]);
    const className = titles.get(pid)?.class;
    return found && className ? { ...found, description: await readClass(collection, className) } : null;
  });
  return (
    <SideSheet
      label={t('browse.preview')}
      bar={
        <>
          {value && <span class="tag">{value.description.title ?? value.description.class}</span>}
          <span class="push" />
          <a class="btn small" href={urlOf([collection, 'record'], { pid })}>
            {t('hint.Open')} <kbd>Enter</kbd>
          </a>
          <button
            type="button"
            class="icon"
            aria-label={t('action.close')}
            onClick={() => go(withQuery({ preview: null }), { replace: true })}
          >
            <Icon name="close" />
          </button>
        </>
      }
    >
      {error && (
        <section>
          <ErrorNote error={error} />
        </section>
      )}
      {value === null && (
        <section>
          <p class="muted">{t('record.missing')}</p>
        </section>
      )}
      {value && (
        <>
          <section>
            <div class="title">
              <div>
                <h2 class="preview-name">
                  <bdi>{titleIn(value.description, value.record)}</bdi>
                </h2>
                <p class="ids">
                  <span class="mono">{pid}</span>
                  <Copy text={pid} label={t('record.copyPid')} />
                </p>
              </div>
            </div>
            <Slots
              collection={collection}
              description={value.description}
              record={value.record}
              tight
              skip={['pid', 'name', 'title']}
            />
          </section>
          <LinksBack collection={collection} pid={pid} />
        </>
      )}
    </SideSheet>
  );
}
