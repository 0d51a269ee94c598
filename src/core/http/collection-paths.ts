/**
 * Collections and tokens may have slashes in their names, so which part of a path is the name depends on the names that
 * exist. A path is decoded once, then read; the router gets the name as one segment, with `%2F` for its slashes.
 */
import type { Configuration } from '../config/config.ts';
import type { Endpoint } from './endpoint.ts';

/** The elements of the configuration whose names may have slashes: `/collections/{name}`. */
const KINDS = ['collections', 'tokens', 'admin_tokens'] as const;
type Kind = (typeof KINDS)[number];

/** The form of paths with a name: `/-/{collection}/history` has one segment before the name, and one after it. */
type Form = {
  readonly methods: Set<string>;
  readonly kind: Kind;
  /** Whether the path is that of an element of the configuration, which may be about to be made. */
  readonly isElement: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

/** Some paths have several readings. First come those with one of these segments behind the name, which lead to an area. */
const AREA_SEGMENTS = ['curated', 'incoming', 'validate'];

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
  return new Set([...KINDS, 'management', ...slashed.map((name) => name.slice(0, name.indexOf('/')))]);
}

function formsOf(endpoints: readonly Endpoint[]): readonly Form[] {
  const forms = new Map<string, Form>();
  for (const { path, method } of endpoints) {
    const form = forms.get(path) ?? formOf(path);
    if (!form) continue;
    forms.set(path, form);
    form.methods.add(method);
  }
  // Behind those of areas, the longest name comes first, and tokens come last.
  const rank = ({ kind, after: [next = ''] }: Form) => {
    const area = AREA_SEGMENTS.indexOf(next);
    return kind !== 'collections' ? AREA_SEGMENTS.length + 1 : area < 0 ? AREA_SEGMENTS.length : area;
  };
  return [...forms.values()].sort((a, b) => rank(a) - rank(b) || a.after.length - b.after.length);
}

/** The form of a path of the endpoint table; undefined if it has no name that may have slashes. Other parameters are one segment. */
function formOf(path: string): Form | undefined {
  const segments = path.split('/').slice(1);
  const element = segments[1] === '{name}' ? KINDS.find((kind) => kind === segments[0]) : undefined;
  const at = element ? 1 : segments.indexOf('{collection}');
  if (at < 0) return undefined;
  return {
    methods: new Set(),
    kind: element ?? 'collections',
    isElement: element !== undefined,
    before: segments.slice(0, at),
    after: segments.slice(at + 1),
  };
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
      const mayBeMissing = form.isElement && (form.kind === 'collections' || method === 'PUT');
      if (mayBeMissing && !name.endsWith('/')) missing ??= pathOf(form, name, segments.slice(end));
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
