/** A record beside the table. */

import { Copy } from '../shared/copy.tsx';
import { Icon } from '../shared/icons.tsx';
import { LinksBack } from '../shared/links-back.tsx';
import { useLoad } from '../shared/load.ts';
import { NoRecord } from '../shared/no-record.tsx';
import { ErrorNote } from '../shared/notes.tsx';
import { readRecord } from '../shared/records.ts';
import { go, urlOf, withQuery } from '../shared/router.ts';
import { readClass, readTitles, titleIn, written } from '../shared/schema.ts';
import { SideSheet } from '../shared/sheet.tsx';
import { Slots } from '../shared/value.tsx';
import { keyNames, t } from '../texts/texts.ts';

export function Preview({ collection, pid }: { collection: string; pid: string }) {
  const { value, error, reload } = useLoad(
    `${collection}/${pid}`,
    async (signal) => {
      const [found, titles] = await Promise.all([
        readRecord(collection, pid, { signal }),
        readTitles(collection, [pid]),
      ]);
      const className = titles.get(pid)?.class;
      return found && className ? { ...found, description: await readClass(collection, className) } : null;
    },
    written.value,
  );
  return (
    <SideSheet
      label={t('browse.preview')}
      bar={
        <>
          {value && <span class="tag">{value.description.title ?? value.description.class}</span>}
          <span class="push" />
          <a class="btn small" href={urlOf([collection, 'record'], { pid })}>
            {t('hint.Open')} <kbd>{keyNames('Enter')}</kbd>
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
          <ErrorNote error={error} retry={reload} />
        </section>
      )}
      {value === null && (
        <section>
          <NoRecord collection={collection} pid={pid} />
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
