/** The schema of a collection: the one in force, another version with what it would change, and former changes. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { FileInput } from '../../../../ui/shared/file-input.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { isEqual } from '../../../../ui/shared/json.ts';
import { useKept } from '../../../../ui/shared/kept.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { readClasses, written } from '../../../../ui/shared/schema.ts';
import { type ClientError, lab, saveAs } from '../../../../ui/shared/service.ts';
import { may, session } from '../../../../ui/shared/session.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { count } from '../../../../ui/shared/time.ts';
import { StewardshipTabs, useStewardshipList } from '../../../../ui/stewardship/list.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { ClassSummary } from '../../../client/client.ts';
import { migrate, type Rehearsal } from '../client.ts';
import { type Corrections, NO_CORRECTIONS } from './corrections.ts';
import { FormerVersions } from './former-versions.tsx';
import { type SchemaFault, schemaFaults } from './schema-faults.ts';
import { SchemaText } from './schema-text.tsx';
import { ts } from './texts.ts';
import { Tried } from './tried.tsx';

export function SchemaView({ collection }: ViewProps) {
  const isAdmin = session.me.value?.admin ?? false;
  const { value, error, reload } = useLoad(
    collection,
    async (signal) => {
      const of = lab(collection, signal);
      const [text, classes, versions] = await Promise.all([
        of.schema(),
        may(collection, 'curate') ? readClasses(collection, signal) : [],
        of.use(migrate).switches(),
      ]);
      return { text, classes, versions };
    },
    written.value,
  );
  useStewardshipList(collection, 'schema');
  const crumbs = isAdmin
    ? [{ text: collection, href: urlOf(['admin', 'collections', collection]) }]
    : [
        { text: collection, href: urlOf([collection, 'browse']) },
        { text: t('rail.stewardship'), href: urlOf([collection, 'stewardship']) },
      ];
  return (
    <Sheets>
      <MainSheet title={ts('title')} crumbs={crumbs}>
        <div class="page wide">
          {may(collection, 'curate') && <StewardshipTabs collection={collection} current="schema" />}
          {(error || !value) && <Loading error={error} retry={reload} />}
          {value && (
            <>
              <InForce collection={collection} text={value.text} classes={value.classes} />
              <OtherVersion
                key={`${collection} ${value.text}`}
                collection={collection}
                text={value.text}
                isAdmin={isAdmin}
              />
              <FormerVersions collection={collection} versions={value.versions} isAdmin={isAdmin} />
            </>
          )}
        </div>
      </MainSheet>
    </Sheets>
  );
}

function InForce(props: { collection: string; text: string; classes: readonly ClassSummary[] }) {
  const { collection, text, classes } = props;
  return (
    <section aria-labelledby="in-force">
      <div class="head first">
        <h2 id="in-force">{ts('inForce')}</h2>
        <span class="push" />
        <button
          type="button"
          class="btn small"
          onClick={() => saveAs(new Blob([text], { type: 'application/yaml' }), `${collection}.yaml`)}
        >
          <Icon name="download" size={14} />
          {ts('download')}
        </button>
      </div>
      {classes.length > 0 && (
        <div class="inner-scroll" tabIndex={0} role="region" aria-label={ts('classes')}>
          <table class="inner">
            <caption class="vh">{ts('classes')}</caption>
            <thead>
              <tr>
                <th scope="col">{ts('classes')}</th>
                <th scope="col" class="opt">
                  {ts('parent')}
                </th>
                <th scope="col" class="opt">
                  {ts('description')}
                </th>
                <th scope="col" class="right">
                  {ts('records')}
                </th>
              </tr>
            </thead>
            <tbody>
              {classes.map((one) => (
                <tr key={one.class}>
                  <th scope="row">
                    <a href={urlOf([collection, 'browse', one.class])}>{one.title ?? one.class}</a>
                  </th>
                  <td class="opt muted">{one.is_a ?? '–'}</td>
                  <td class="opt muted">{one.description ?? '–'}</td>
                  <td class="right num">{count(one.count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** The version that is tried: its text, a file, or for administrators an address. */
function OtherVersion(props: { collection: string; text: string; isAdmin: boolean }) {
  const { collection, isAdmin } = props;
  const initial = { text: props.text, address: '', rehearsal: '' };
  const [draft, setDraft, forgetDraft] = useKept(`schema/${collection}`, initial);
  const [corrections, setCorrections, forgetCorrections] = useKept<Corrections>(
    `corrections/${collection}`,
    NO_CORRECTIONS,
  );
  const { text, address, rehearsal } = draft;
  const edit = (changes: Partial<typeof initial>) =>
    setDraft((before) => ({ ...before, rehearsal: '', ...changes }));
  const [loaded, setLoaded] = useState(0);
  const [result, setResult] = useState<Rehearsal>();
  const isKept = rehearsal !== '' && result?.id !== rehearsal;
  // The service forgets a rehearsal at some time; it is tried again then, with the values that were typed.
  const kept = useLoad(isKept ? rehearsal : undefined, (signal) =>
    lab(collection, signal).use(migrate).rehearsal(rehearsal),
  );
  const tried = [result, kept.value].find((one) => one?.id === rehearsal);
  const { busy, error, run } = useAction(async (event: Event) => {
    event.preventDefault();
    edit({});
    const schema = address.trim() === '' ? { text } : address.trim();
    const result = await lab(collection).use(migrate).rehearse(schema);
    setResult(result);
    setDraft((now) =>
      now.text === text && now.address === address ? { ...now, rehearsal: result.id } : now,
    );
  });
  // Faults of the text that was tried; those of an address have no lines here.
  const faults = useMemo(() => (address.trim() === '' ? faultsOf(text, error) : []), [error]);
  const answer = useRef<HTMLDivElement>(null);
  const isAnswered = result !== undefined && result.id === rehearsal;
  // The answer is below what was typed: it is moved to, once.
  useEffect(() => {
    if (isAnswered) answer.current?.querySelector('h3')?.focus();
  }, [isAnswered]);
  useEffect(() => {
    if (faults.length > 0) document.getElementById('schema-faults')?.focus();
  }, [faults]);
  const hasTyped = text !== initial.text || address !== '' || !isEqual(corrections, NO_CORRECTIONS);
  const discard = () => {
    setDraft(initial);
    setLoaded((n) => n + 1);
    setCorrections(NO_CORRECTIONS);
    forgetDraft();
    forgetCorrections();
  };
  return (
    <section aria-labelledby="other-version">
      <div class="head">
        <h2 id="other-version">{ts('other')}</h2>
      </div>
      <p class="lead-text muted">{ts('otherHelp')}</p>
      <form class="form schema-form" onSubmit={run}>
        <SchemaText text={text} loaded={loaded} faults={faults} onText={(typed) => edit({ text: typed })} />
        <div class="field">
          <label for="schema-file">{ts('file')}</label>
          <FileInput
            id="schema-file"
            accept=".yaml,.yml"
            onFile={async (file) => {
              edit({ text: await file.text() });
              setLoaded((n) => n + 1);
            }}
          />
        </div>
        {isAdmin && (
          <TextField
            id="schema-address"
            label={ts('address')}
            help={ts('addressHelp')}
            mono
            value={address}
            onText={(address) => edit({ address })}
          />
        )}
        <p class="btns">
          <button type="submit" class={tried ? 'btn' : 'btn primary'} disabled={busy}>
            {ts('dryRun')}
          </button>
          {hasTyped && (
            <button type="button" class="btn" onClick={discard}>
              {ts('discard')}
            </button>
          )}
          {hasTyped && <span class="muted small">{ts('kept')}</span>}
        </p>
      </form>
      {error && faults.length === 0 && <ErrorNote error={error} />}
      <div ref={answer}>
        {tried && (
          <Tried
            key={tried.id}
            {...{ collection, tried, isAdmin, corrections }}
            onCorrect={setCorrections}
            onForced={discard}
          />
        )}
      </div>
    </section>
  );
}

/** What is wrong with a schema, if that is why it was refused. */
function faultsOf(text: string, error: ClientError | undefined): SchemaFault[] {
  if (error?.code !== 'schema_invalid') return [];
  const messages = error.problems.length > 0 ? error.problems.map(({ msg }) => msg) : [error.message];
  return schemaFaults(text, messages);
}
