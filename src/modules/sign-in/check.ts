/** What `accession check` finds about the sources that people sign in by. */
import { type CheckContext, error, type Finding, warning } from '../../cli/operator/check/finding.ts';
import { readSecretFile } from '../../core/config/secret-file.ts';
import { networkFailure } from '../../core/errors.ts';
import { redirectUri } from './flow.ts';
import { fetchBounded } from './provider.ts';
import { completeSources, entriesOf, isComplete, knownOrigin } from './sign-in.ts';
import { CLIENT_SECRET_FILE, type OidcSourceConfig, type SignInConfig, withPreset } from './source-config.ts';
import { CLOCK_TOLERANCE } from './times.ts';

const CHECK = 'sign-in';

export async function* checkSources({
  configuration,
  root,
  database,
}: CheckContext): AsyncGenerator<Finding> {
  const entries = entriesOf(configuration);
  const complete = completeSources(configuration);
  const origin = complete.length === 0 ? undefined : await knownOrigin(database);
  for (const name of new Set(entries.map((entry) => entry.name))) {
    const source = complete.find((one) => one.name === name);
    const ofName = entries.filter((one) => one.name === name);
    if (source) {
      yield* secretOf(source, root);
      if (source.type === 'oidc') yield* issuerOf(source, origin);
    } else if (ofName.some(isComplete))
      yield error(
        CHECK,
        `Entries of the source '${name}' have another type, issuer or client_id than others, so no one can sign in by it.`,
        'Give one of them another name in auth_sources.',
      );
    else
      yield error(
        CHECK,
        `The source '${name}' has ${missingIn(ofName[0]!)}, so no one can sign in by it.`,
        'Add it to one of the entries of this name in auth_sources.',
      );
  }
}

function missingIn(entry: SignInConfig): string {
  return entry.client_id === undefined ? 'no client_id' : 'no issuer';
}

async function* secretOf(
  { name, client_secret_file: file }: SignInConfig,
  root: string,
): AsyncGenerator<Finding> {
  if (file === undefined) return;
  try {
    await readSecretFile(root, file, CLIENT_SECRET_FILE);
  } catch (failure) {
    yield error(
      CHECK,
      `The source '${name}': ${(failure as Error).message}`,
      'Put the secret of the client there, readable for the service.',
    );
  }
}

async function* issuerOf(source: OidcSourceConfig, origin: string | undefined): AsyncGenerator<Finding> {
  const { issuer } = withPreset(source);
  const url = `${issuer!.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const about = `The source '${source.name}'`;
  let response: Response;
  try {
    response = await fetchBounded(url);
  } catch (failure) {
    const remedy = 'Correct the issuer, or let the service reach it.';
    yield error(CHECK, `${about}: ${url} cannot be read: ${networkFailure(failure)}.`, remedy);
    return;
  }
  const document = (await response.json().catch(() => undefined)) as Discovery | undefined;
  if (!response.ok || document === undefined) {
    const found = response.ok ? 'is not JSON' : `was answered with ${response.status}`;
    yield error(CHECK, `${about}: ${url} ${found}.`, 'Correct the issuer: its URL ends before /.well-known.');
    return;
  }
  if (document.issuer !== issuer)
    yield error(
      CHECK,
      `${about}: the issuer calls itself ${JSON.stringify(document.issuer)}, and ${JSON.stringify(issuer)} is configured.`,
      'Configure the issuer as it calls itself, also a slash at the end.',
    );
  const ahead = (Date.parse(response.headers.get('date') ?? '') - Date.now()) / 1000;
  if (Math.abs(ahead) > CLOCK_TOLERANCE)
    yield warning(
      CHECK,
      `${about}: the clock of this machine and that of the issuer differ by ${Math.round(Math.abs(ahead))} seconds.`,
      `Synchronize the clock (NTP): more than ${CLOCK_TOLERANCE} seconds are refused.`,
    );
  if (origin !== undefined) yield* redirectOf(source, String(document.authorization_endpoint), origin);
}

type Discovery = { readonly issuer?: unknown; readonly authorization_endpoint?: unknown };

/** Asks the issuer as a browser would: it refuses a redirect URI that is not registered, and leads to its own page otherwise. */
async function* redirectOf(
  { name, client_id: clientId }: OidcSourceConfig,
  authorize: string,
  origin: string,
): AsyncGenerator<Finding> {
  const redirect = redirectUri(origin, name);
  const url = URL.parse(authorize);
  if (url === null) return;
  const asked = { response_type: 'code', scope: 'openid', state: 'check', nonce: 'check' };
  const challenge = { code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' };
  url.search = new URLSearchParams({
    ...asked,
    ...challenge,
    client_id: clientId!,
    redirect_uri: redirect,
  }).toString();
  const status = await fetchBounded(url).then(
    (response) => response.status,
    () => 0,
  );
  if (status >= 400 && status < 500)
    yield error(
      CHECK,
      `The source '${name}': the issuer refuses the client ${JSON.stringify(clientId)} with the redirect URI ${redirect} (${status}).`,
      'Register this redirect URI at the issuer, exactly, and compare the client_id.',
    );
}
