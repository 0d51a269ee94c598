/** Two letters of a class, and a record called by its name. */
import { useContext, useEffect, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { urlOf } from './router.ts';
import { localPart, readTitles, type Title, written } from './schema.ts';
import { Submissions } from './submission-urls.ts';

export function Tile({ name, large = false }: { name: string; large?: boolean }) {
  return (
    <span class={large ? 'tile l' : 'tile'} title={name}>
      <span aria-hidden="true">{name.slice(0, 2)}</span>
      <span class="vh">{name}: </span>
    </span>
  );
}

/** The titles of records, one batched request for all that are on the screen; undefined while the first are asked for. */
export function useTitles(
  collection: string,
  pids: readonly string[],
): ReadonlyMap<string, Title | null> | undefined {
  const [titles, setTitles] = useState<ReadonlyMap<string, Title | null>>();
  const key = pids.join('\n');
  const round = written.value;
  useEffect(() => {
    if (key === '') return;
    let current = true;
    readTitles(collection, key.split('\n')).then(
      (found) => current && setTitles(found),
      () => current && setTitles(new Map()),
    );
    return () => {
      current = false;
    };
  }, [collection, key, round]);
  return titles;
}

/** A link to a record by its name; a record that does not exist is its identifier and says so. */
export function RecordLink({
  collection,
  pid,
  title,
}: {
  collection: string;
  pid: string;
  title?: Title | null | undefined;
}) {
  const found = useTitles(collection, title === undefined ? [pid] : []);
  const known = title === undefined ? found?.get(pid) : title;
  if (known === null) {
    return (
      <span>
        <span class="mono">{pid}</span> <span class="faint">{t('value.notFound')}</span>
      </span>
    );
  }
  return (
    <a class="ref" href={urlOf([collection, 'record'], { pid })} title={pid}>
      <Tile name={known?.class ?? '··'} />
      <bdi class="t">{known?.title || localPart(pid)}</bdi>
    </a>
  );
}

/** A record as lists of several areas name it. */
export type InArea = {
  readonly pid: string;
  readonly class: string | null;
  readonly title?: string | null;
  /** `curated`, or `incoming/<label>`; null for one that does not exist. */
  readonly in: string | null;
};

/** The label of the zone that a record lies in; undefined for other areas. */
export function zoneOf({ in: area }: Pick<InArea, 'in'>): string | undefined {
  const zones = 'incoming/';
  return area?.startsWith(zones) ? area.slice(zones.length) : undefined;
}

/** A link to a record, or to the review of a submission, with its zone: titles are of what the token itself reads. */
export function RecordInArea(props: {
  collection: string;
  record: InArea;
  title?: Title | null | undefined;
}) {
  const { collection, record, title } = props;
  const { pid } = record;
  const label = zoneOf(record);
  const submissions = useContext(Submissions);
  if (label === undefined) return <RecordLink collection={collection} pid={pid} title={title} />;
  return (
    <>
      <a class="ref" href={submissions?.inZone(collection, label, pid)} title={pid}>
        <Tile name={record.class ?? '··'} />
        <bdi class="t">{record.title || localPart(pid)}</bdi>
      </a>{' '}
      <small class="faint">{label}</small>
    </>
  );
}
