/** The releases of a collection, with their files, and a new one of the curated records as they are now. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad, useRepeated } from '../../../../ui/shared/load.ts';
import { Empty, ErrorNote, Loading, Progress } from '../../../../ui/shared/notes.tsx';
import { Panels } from '../../../../ui/shared/panels.tsx';
import { SERVICE } from '../../../../ui/shared/router.ts';
import { lab, saveAs } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import { StateMark, type StateName } from '../../../../ui/shared/state.tsx';
import { fullTime, size as sizeOf } from '../../../../ui/shared/time.ts';
import type { Release } from '../api-types.ts';
import { ARCHIVE } from '../archive-name.ts';
import { releases } from '../client.ts';
import { ReleaseDialog } from './release-dialog.tsx';
import { tr } from './texts.ts';
import { WithdrawDialog } from './withdraw-dialog.tsx';

const MARKS: Readonly<Record<Release['state'], StateName>> = {
  making: 'waiting',
  done: 'accepted',
  failed: 'rejected',
  withdrawn: 'rejected',
};

export function Releases({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, (signal) =>
    lab(collection, signal).use(releases).list(),
  );
  // Those that others request appear, too.
  useRepeated(reload);
  const [isNew, setNew] = useState(false);
  const [withdrawing, setWithdrawing] = useState<string>();
  const isAdministrator = session.me.value?.admin === true;
  return (
    <>
      <div class="head">
        <p class="muted">{tr('lead')}</p>
        <span class="push" />
        <button type="button" class="btn" onClick={() => setNew(true)}>
          <Icon name="plus" />
          {tr('new')}
        </button>
      </div>
      {(error || !value) && <Loading error={error} retry={reload} rows={2} />}
      {value?.length === 0 && <Empty title={tr('none')} />}
      {value && value.length > 0 && (
        <ul class="list spacious" aria-label={tr('releases')}>
          {value.map((release) => (
            <Line
              key={release.name}
              collection={collection}
              release={release}
              onWithdraw={isAdministrator ? () => setWithdrawing(release.name) : undefined}
            />
          ))}
        </ul>
      )}
      {isNew && <ReleaseDialog collection={collection} onProgress={reload} onClose={() => setNew(false)} />}
      {withdrawing !== undefined && (
        <WithdrawDialog
          collection={collection}
          name={withdrawing}
          onDone={reload}
          onClose={() => setWithdrawing(undefined)}
        />
      )}
    </>
  );
}

function Line(props: {
  collection: string;
  release: Release;
  /** Undefined for those who may not withdraw it. */
  onWithdraw: (() => void) | undefined;
}) {
  const { collection, release, onWithdraw } = props;
  const { name, state, time, notes, reason, progress, records, changes, files, size } = release;
  const mark = MARKS[state];
  const figures = [
    fullTime(time),
    ...(records === null ? [] : [tr('records', { n: records })]),
    ...(changes === null ? [] : [tr('changes', changes)]),
  ];
  return (
    <li class="stack-s">
      <p>
        <bdi class="strong wrap-any">{name}</bdi>{' '}
        <span class={`st st-${mark}`}>
          <StateMark name={mark} />
          {tr(state)}
        </span>
      </p>
      {notes && <p class="pre wrap-any">{notes}</p>}
      <p class="small muted">{figures.join(' · ')}</p>
      {progress && <Progress {...progress} label={tr('makingOf', { name })} />}
      {reason && <p class="small pre st-rejected">{reason}</p>}
      {state === 'done' && (
        <Files
          collection={collection}
          release={name}
          files={[{ path: ARCHIVE, size: size ?? 0, label: tr('archive') }, ...files]}
        />
      )}
      {state === 'done' && <Panels place="release" collection={collection} of={name} />}
      {onWithdraw && state !== 'withdrawn' && (
        <p>
          <button type="button" class="btn" aria-label={tr('withdrawTitle', { name })} onClick={onWithdraw}>
            {tr('withdraw')}
          </button>
        </p>
      )}
    </li>
  );
}

type FileLink = { readonly path: string; readonly size: number; readonly label?: string };

/** Links that can be cited. A click sends the token, which the browser itself would not. */
function Files(props: { collection: string; release: string; files: readonly FileLink[] }) {
  const { collection, release, files } = props;
  const own = new URL(`-/${encodeURIComponent(collection)}/releases/${release}/`, SERVICE);
  const { error, run: download } = useAction(async (path: string) => {
    const chunks = await Array.fromAsync(lab(collection).use(releases).file(release, path));
    saveAs(new Blob(chunks), path === ARCHIVE ? `${collection}-${release}.zip` : path);
  });
  return (
    <>
      <ul class="file-links small" aria-label={tr('filesOf', { name: release })}>
        {files.map(({ path, size, label = path }) => (
          <li key={path}>
            <a
              href={new URL(encodeURIComponent(path), own).href}
              onClick={(event) => {
                event.preventDefault();
                download(path);
              }}
            >
              {label}
            </a>{' '}
            <span class="faint num">{sizeOf(size)}</span>
          </li>
        ))}
      </ul>
      {error && <ErrorNote error={error} />}
    </>
  );
}
