/** The vocabularies of a collection: which terms are in force, since when, and what their sources would change today. */
import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Empty, ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { written } from '../../../../ui/shared/schema.ts';
import { lab, service } from '../../../../ui/shared/service.ts';
import { may, session } from '../../../../ui/shared/session.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { migrate, type Rehearsal } from '../../migrate/client.ts';
import { type Corrections, NO_CORRECTIONS } from '../../migrate/desk/corrections.ts';
import { Tried } from '../../migrate/desk/tried.tsx';
import { type VocabularySummary, vocabularies } from '../client.ts';
import type { VocabularyConfig } from '../configuration.ts';
import { tv } from './texts.ts';

type Sources = Readonly<Record<string, VocabularyConfig>>;

export function Vocabularies({ collection }: ViewProps) {
  const isAdmin = session.me.value?.admin ?? false;
  const { value, error, reload } = useLoad(
    collection,
    async (signal) => {
      const sources = isAdmin ? await readSources(collection, signal) : {};
      const isReader = READING.some((one) => may(collection, one));
      return {
        sources,
        listed: isReader ? await lab(collection, signal).use(vocabularies).list() : unknown(sources),
      };
    },
    written.value,
  );
  const [tried, setTried] = useState<Rehearsal>();
  const [corrections, setCorrections] = useState<Corrections>(NO_CORRECTIONS);
  const trial = useAction(async (change: Readonly<Record<string, object | null>>) => {
    setTried(undefined);
    setCorrections(NO_CORRECTIONS);
    setTried(await lab(collection).use(migrate).rehearseVocabularies(change));
  });
  if (error || !value) return <Loading error={error} retry={reload} />;
  const { listed, sources } = value;
  return (
    <>
      <p class="lead-text muted">{tv('help')}</p>
      {listed.length === 0 && (
        <Empty title={tv('none')}>
          <p>{tv('noneHelp')}</p>
        </Empty>
      )}
      <ul class={listed.length > 0 ? 'list' : undefined}>
        {listed.map((one) => (
          <Vocabulary
            key={one.name}
            vocabulary={one}
            source={sources[one.name]}
            isBusy={trial.busy}
            onRefresh={() => trial.run({ [one.name]: {} })}
            onRemove={isAdmin ? () => trial.run({ [one.name]: null }) : undefined}
          />
        ))}
      </ul>
      {isAdmin && <AddForm isBusy={trial.busy} onAdd={(name, source) => trial.run({ [name]: source })} />}
      {trial.busy && (
        <p class="muted" role="status">
          {tv('trying')}
        </p>
      )}
      {trial.error && <ErrorNote error={trial.error} />}
      {tried && (
        <section aria-labelledby="vocabulary-trial">
          <div class="head">
            <h2 id="vocabulary-trial">{tv('trial')}</h2>
          </div>
          <Tried
            key={tried.id}
            {...{ collection, tried, isAdmin, corrections }}
            onCorrect={setCorrections}
            onForced={() => setTried(undefined)}
          />
        </section>
      )}
    </>
  );
}

/** The sources in the configuration, which administrators read. */
async function readSources(collection: string, signal: AbortSignal): Promise<Sources> {
  const { configuration } = service({ signal });
  const found = await configuration.read<{ name: string; vocabularies?: Sources }>('collections', collection);
  return found.element.vocabularies ?? {};
}

/** The permissions of which one leads to the terms. */
const READING = ['read_curated', 'read_zone', 'write_zone'] as const;

/** What the configuration says to an administrator who does not read the collection. */
function unknown(sources: Sources): Listed[] {
  return Object.keys(sources).map((name) => ({ name }));
}

type Listed = Pick<VocabularySummary, 'name'> & Partial<VocabularySummary>;

function Vocabulary({
  vocabulary: { name, title, terms, version, date, license, taken },
  source,
  isBusy,
  onRefresh,
  onRemove,
}: {
  vocabulary: Listed;
  source: VocabularyConfig | undefined;
  isBusy: boolean;
  onRefresh: () => void;
  onRemove: (() => void) | undefined;
}) {
  const facts = [
    taken && tv('taken', { time: fullTime(taken) }),
    version && tv('version', { version }),
    date,
    license,
    source?.refresh && tv(source.refresh),
  ].filter((one) => one !== undefined && one !== null && one !== '');
  return (
    <li class="line">
      <div class="stack-s">
        <span>
          <b class="strong">
            <bdi>{title ?? name}</bdi>
          </b>{' '}
          <span class="mono faint">{name}</span>{' '}
          {taken === null ? (
            <span class="st st-diverged">
              <StateMark name="diverged" />
              {tv('missing')}
            </span>
          ) : (
            terms !== undefined && <span class="muted">{tv('size', { n: terms })}</span>
          )}
        </span>
        <span class="faint small">{facts.join(' · ')}</span>
        {source && <bdi class="mono small">{source.source}</bdi>}
      </div>
      <p class="btns">
        <button
          type="button"
          class="btn"
          disabled={isBusy}
          aria-label={`${tv('refresh')} ${name}`}
          onClick={onRefresh}
        >
          {tv('refresh')}
        </button>
        {onRemove && (
          <button
            type="button"
            class="btn"
            disabled={isBusy}
            aria-label={`${tv('remove')} ${name}`}
            onClick={onRemove}
          >
            {tv('remove')}
          </button>
        )}
      </p>
    </li>
  );
}

/** A new vocabulary, or another source of one. Its format follows from the suffix, unless the source has none. */
function AddForm({
  isBusy,
  onAdd,
}: {
  isBusy: boolean;
  onAdd: (name: string, source: { readonly source: string }) => void;
}) {
  const [name, setName] = useState('');
  const [source, setSource] = useState('');
  const isReady = name.trim() !== '' && source.trim() !== '';
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onAdd(name.trim(), { source: source.trim() });
        else document.getElementById(name.trim() === '' ? 'vocabulary-name' : 'vocabulary-source')?.focus();
      }}
    >
      <h2>{tv('add')}</h2>
      <TextField
        id="vocabulary-name"
        label={tv('name')}
        help={tv('nameHelp')}
        mono
        required
        value={name}
        onText={setName}
      />
      <TextField
        id="vocabulary-source"
        label={tv('source')}
        help={tv('sourceHelp')}
        mono
        required
        value={source}
        onText={setSource}
      />
      <p class="btns">
        <button type="submit" class="btn" disabled={isBusy}>
          {tv('try')}
        </button>
      </p>
    </form>
  );
}
