/** How a collection is published: title, publisher, license, base, and what is still missing. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { isEqual } from '../../../../ui/shared/json.ts';
import { useKept } from '../../../../ui/shared/kept.ts';
import { KeptNote } from '../../../../ui/shared/kept-note.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { SERVICE, urlOf } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { type Access, session } from '../../../../ui/shared/session.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { toast } from '../../../../ui/shared/toast.tsx';
import { readsCurated, visitorIn } from '../../../../ui/shared/visitor.ts';
import type { ClientError } from '../../../client/client.ts';
import type { PublicationMetadata } from '../api-types.ts';
import { publish } from '../client.ts';
import { tp } from './texts.ts';

const FIELDS = ['title', 'publisher', 'license', 'base', 'contact'] as const;
type FieldKey = (typeof FIELDS)[number];

const LICENSES = [
  'https://creativecommons.org/publicdomain/zero/1.0/',
  'https://creativecommons.org/licenses/by/4.0/',
  'https://creativecommons.org/licenses/by-sa/4.0/',
  'https://opendatacommons.org/licenses/odbl/1-0/',
];

export function Publish({ collection }: ViewProps) {
  const { value, error, reload } = useLoad(collection, async (signal) => {
    const [publishing, visitor] = await Promise.all([
      lab(collection, signal).use(publish).settings(),
      visitorIn(collection, signal),
    ]);
    return { publish: publishing, visitor };
  });
  if (error || !value) return <Loading error={error} retry={reload} />;
  return <PublishForm collection={collection} {...value} />;
}

function PublishForm(props: {
  collection: string;
  publish: PublicationMetadata;
  /** The permissions of a request without a token. */
  visitor: Access | undefined;
}) {
  const { collection, visitor } = props;
  const [stored, setStored] = useState<PublicationMetadata>(props.publish);
  const [typed, setTyped, forget] = useKept<PublicationMetadata>(`publish/${collection}`, stored);
  const { busy, error, run } = useAction(async (event: Event) => {
    event.preventDefault();
    await lab(collection).use(publish).putSettings(withoutBlanks(typed));
    setStored(typed);
    forget();
    toast(tp('saved', { name: collection }));
  });
  const first = FIELDS.find((key) => problemIn(error, key));
  useEffect(() => document.getElementById(`publish-${first}`)?.focus(), [error]);
  return (
    <div class="cols">
      <form class="form" onSubmit={run} noValidate>
        <KeptNote isChanged={!isEqual(typed, stored)} onDiscard={() => setTyped(stored)} />
        {FIELDS.map((key) => (
          <Field
            key={key}
            name={key}
            value={typed[key]}
            problem={problemIn(error, key)}
            onText={(text) => setTyped({ ...typed, [key]: text })}
          />
        ))}
        {error && !first && <ErrorNote error={error} />}
        <p class="btns">
          <button type="submit" class="btn primary" disabled={busy}>
            {tp('save')}
          </button>
        </p>
      </form>
      <MissingMetadata collection={collection} publish={withoutBlanks(typed)} visitor={visitor} />
    </div>
  );
}

/** Drops empty fields from the input. */
function withoutBlanks(typed: PublicationMetadata): PublicationMetadata {
  const texts = Object.entries(typed).map(([key, text]) => [key, text.trim()] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

function problemIn(error: ClientError | undefined, key: FieldKey): string | undefined {
  return error?.problems.find(({ loc }) => loc.includes(key))?.msg;
}

function Field(props: {
  name: FieldKey;
  value: string | undefined;
  problem: string | undefined;
  onText: (text: string) => void;
}) {
  const { name, value = '', ...field } = props;
  const isLicense = name === 'license';
  return (
    <TextField
      {...field}
      id={`publish-${name}`}
      label={tp(name)}
      help={tp(`${name}_help`)}
      value={value}
      type={name === 'contact' ? 'email' : isLicense || name === 'base' ? 'url' : 'text'}
      list={isLicense ? 'licenses' : undefined}
    >
      {isLicense && (
        <datalist id="licenses">
          {LICENSES.map((url) => (
            <option key={url} value={url} />
          ))}
        </datalist>
      )}
    </TextField>
  );
}

/** Lists missing input, in sentences, and links to the pages. */
function MissingMetadata(props: {
  collection: string;
  publish: PublicationMetadata;
  visitor: Access | undefined;
}) {
  const { collection, publish, visitor } = props;
  const isPublic = readsCurated(visitor);
  const missing = FIELDS.filter((key) => publish[key] === undefined);
  const own = new URL(`-/${encodeURIComponent(collection)}/`, SERVICE).href;
  return (
    <section class="stack publish-missing" aria-labelledby="publish-missing">
      <h2 id="publish-missing">{tp('missing')}</h2>
      <ul class="stack">
        {!isPublic && (
          <Line name="rejected">
            {tp('private')}{' '}
            {session.me.value?.admin && (
              <a href={urlOf(['admin', 'collections', collection])}>{tp('makePublic')}</a>
            )}
          </Line>
        )}
        {missing.map((key) => (
          <Line key={key} name={key === 'license' ? 'rejected' : 'waiting'}>
            {tp(`no_${key}`, { name: visitor?.title ?? collection })}
          </Line>
        ))}
        {isPublic && <Line name="accepted">{tp('public')}</Line>}
        {isPublic && missing.length === 0 && <Line name="accepted">{tp('complete')}</Line>}
      </ul>
      {isPublic && (
        <p class="small muted">
          {tp('example')}: <span class="mono">{own}resource/…</span>
          <br />
          <a href={`${own}sitemap.xml`} target="_blank" rel="noopener">
            {tp('sitemap')} <span aria-hidden="true">↗</span>
          </a>
        </p>
      )}
    </section>
  );
}

function Line({
  name,
  children,
}: {
  name: 'rejected' | 'waiting' | 'accepted';
  children: ComponentChildren;
}) {
  return (
    <li class="note">
      <StateMark name={name} />
      <span>{children}</span>
    </li>
  );
}
