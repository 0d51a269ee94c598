/**
 * Collections and tokens may have slashes in their names, so which part of a path is the name depends on the names that
 * exist. A path is decoded once, then read; the router gets the name as one segment, with `%2F` for its slashes.
 */
import type { Configuration } from '../config/config.ts';
import type { Endpoint } from './endpoint.ts';

type Kind = 'collections' | 'tokens' | 'admin_tokens';

/** The form of paths with a name: `/-/{collection}/history` has one segment before the name, and one after it. */
type Form = {
  readonly path: string;
  readonly methods: Set<string>;
  readonly kind: Kind;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

/** Some paths have several readings: an area of a collection comes first, then the longest name, tokens last. */
const ORDER = [
  /\{collection\}\/curated/,
  /\{collection\}\/incoming/,
  /\{collection\}\/validate/,
  /^\/(?!.*token)/,
  /^/,
];

/** A path of the endpoint table that has a name, which may have slashes; other parameters are one segment. */
const NAMED =
  /^(?<before>.*\/)(?:\{collection\}|(?<=^\/(?<kind>collections|tokens|admin_tokens)\/)\{name\})(?<after>.*)$/;

/**
 * Returns how the router gets the URL of a request: unchanged, unless its path may have a name with slashes or has `%2F`.
 *
 * @param current the configuration, which changes
 */
export function collectionPaths(endpoints: readonly Endpoint[], current: () => Configuration) {
  const forms = formsOf(endpoints);
  let known: Configuration | undefined;
  let beginnings: ReadonlySet<string> = new Set();
  let mostSegments = 1;

  /** Whether a path begins like a name with slashes; most services have none, and most requests need no more. */
  function mayHaveSlashes(path: string): boolean {
    const start = path.startsWith('/-/') && !beginnings.has('-') ? 3 : 1;
    const end = path.indexOf('/', start);
    return end > 0 && beginnings.has(path.slice(start, end));
  }

  return ({ method = 'GET', url = '/' }: { method?: string; url?: string }): string => {
    const configuration = current();
    if (configuration !== known) {
      known = configuration;
      beginnings = beginningsOf(configuration);
      const names = Object.keys(configuration.collections);
      mostSegments = Math.max(1, ...names.map((name) => name.split('/').length));
    }
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const isEscaped = path.includes('%');
    if (!isEscaped && !mayHaveSlashes(path)) return url;
    const decoded = isEscaped ? decode(path) : path;
    if (decoded === undefined || (!/%2f/i.test(path) && !mayHaveSlashes(decoded))) return url;
    const routed = routedPath(
      forms,
      configuration,
      mostSegments,
      method === 'HEAD' ? 'GET' : method,
      decoded,
    );
    return end < 0 ? routed : routed + url.slice(end);
  };
}

/** The first segments of names with slashes, and those below which names are elements of the configuration. */
function beginningsOf({ collections }: Configuration): ReadonlySet<string> {
  const slashed = Object.keys(collections).filter((name) => name.includes('/'));
  return new Set([
    'collections',
    'tokens',
    'admin_tokens',
    'management',
    ...slashed.map((name) => name.slice(0, name.indexOf('/'))),
  ]);
}

function formsOf(endpoints: readonly Endpoint[]): readonly Form[] {
  const forms = new Map<string, Form>();
  for (const { path, method } of endpoints) {
    const { before = '', kind = 'collections', after = '' } = NAMED.exec(path)?.groups ?? {};
    if (before === '') continue;
    const form = forms.get(path) ?? {
      path,
      methods: new Set(),
      kind: kind as Kind,
      before: before.split('/').slice(1, -1),
      after: after.split('/').slice(1),
    };
    forms.set(path, form);
    form.methods.add(method);
  }
  const rank = ({ path }: Form) => ORDER.findIndex((pattern) => pattern.test(path));
  return [...forms.values()].sort((a, b) => rank(a) - rank(b) || a.after.length - b.after.length);
}

/** The path of the first reading whose collection or token exists; else that of an element, or the path itself. */
function routedPath(
  forms: readonly Form[],
  configuration: Configuration,
  mostSegments: number,
  method: string,
  path: string,
): string {
  const segments = path.split('/').slice(1);
  let missing: string | undefined;
  for (const form of forms) {
    for (const end of form.methods.has(method) ? endsOfName(form, segments, mostSegments) : []) {
      const name = segments.slice(form.before.length, end).join('/');
      if (Object.hasOwn(configuration[form.kind], name)) return pathOf(form, name, segments.slice(end));
      const isElement = form.path.includes('{name}') && (form.kind === 'collections' || method === 'PUT');
      if (isElement && !name.endsWith('/')) missing ??= pathOf(form, name, segments.slice(end));
    }
  }
  return missing ?? `/${segments.map(encodeURIComponent).join('/')}`;
}

/**
 * Where the name may end in a path that has a form: at one place or, if the form has any rest, at each that fits, as far as names
 * reach.
 */
function endsOfName({ before, after }: Form, segments: readonly string[], mostSegments: number): number[] {
  const hasRest = after.at(-1)?.startsWith('{+');
  const end = segments.length - after.length;
  const first = hasRest ? before.length + 1 : end;
  const last = hasRest ? Math.min(end, before.length + mostSegments) : end;
  const isNamed = segments[before.length] !== '';
  const fits = (end: number) =>
    (isNamed || end > before.length + 1) &&
    after.every((segment, at) => fitsSegment(segment, segments[end + at] ?? ''));
  if (first <= before.length || !before.every((segment, at) => segment === segments[at])) return [];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => last - at).filter(fits);
}

function fitsSegment(expected: string, found: string): boolean {
  return expected.startsWith('{') ? found !== '' : found === expected;
}

function pathOf({ before }: Form, name: string, rest: readonly string[]): string {
  return `/${[...before, name, ...rest].map(encodeURIComponent).join('/')}`;
}

/** Undefined for invalid escapes, which the router refuses. */
function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
