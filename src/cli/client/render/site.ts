/**
 * The folder that a site is made from. Files whose name starts with `_` are layouts and parts of other templates, files with
 * front matter are templates, and all others are copied.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Liquid, LiquidError, type Template as Parsed } from 'liquidjs';
import { isJsonObject, type JsonObject } from '#linkml/json.ts';
import { readYaml, YamlError } from '#linkml/yaml/read.ts';
import { UsageError } from '../../outcome.ts';
import { fileName, filesBelow } from './paths.ts';

/** The front matter of a template. */
type Matter = {
  /** The records: those of this class, with its subclasses. */
  readonly class?: string;
  /** The expansions and the slots of the records, as in reads. */
  readonly expand?: string;
  readonly fields?: string;
  /** The path of the page of each record. Without one, the template is one page with all of the records. */
  readonly path?: string;
};

export type Template = {
  /** The path of the file in the site. */
  readonly name: string;
  readonly className: string | undefined;
  /** The parameters of reads. */
  readonly parameters: { readonly expand: string | undefined; readonly fields: string | undefined };
  /** Whether each record has a page. */
  readonly isOfEach: boolean;
  /** The slots of the steps back in `expand`. */
  readonly back: readonly string[];
  /** The path of a page. @throws UsageError */
  path(record: JsonObject | undefined): string;
  /** The text of a page. @throws UsageError */
  text(
    values: { readonly record?: JsonObject; readonly records?: readonly JsonObject[] },
    path: string,
  ): string;
};

export type Site = {
  readonly templates: readonly Template[];
  /** Files that are copied, by path. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Changes with the files. */
  readonly digest: string;
};

const MATTER = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;
const KEYS = ['class', 'expand', 'fields', 'path'];
/** Items of ranges and characters of filters in one page: a range of billions would end the process. */
const MOST_MADE = 100_000_000;
/** Milliseconds of one page: loops in loops would not end. */
const LONGEST_MS = 20_000;
/** Pages are the same on every machine. */
const ANYWHERE = {
  locale: 'en-US',
  timezoneOffset: 0,
  preserveTimezones: true,
  memoryLimit: MOST_MADE,
} as const;

/**
 * @param renderLimit milliseconds of one page
 * @throws UsageError for a template that cannot be read
 */
export function readSite(folder: string, renderLimit = LONGEST_MS): Site {
  const contents = new Map(filesBelow(folder).map((name) => [name, contentOf(folder, name)]));
  const hash = createHash('sha256');
  for (const [name, content] of contents) hash.update(`${name}\0${content.length}\0`).update(content);
  const [templates, files] = [new Map<string, string>(), new Map<string, Buffer>()];
  for (const [name, content] of contents) {
    const isPart = isPartOfOthers(name);
    if (isPart || /^---[ \t]*\r?\n/.test(content.toString('latin1', 0, 100)))
      templates.set(name, content.toString());
    else files.set(name, content);
  }
  const parts = Object.fromEntries([...templates].filter(([name]) => isPartOfOthers(name)));
  const pages = new Liquid({
    ...ANYWHERE,
    renderLimit,
    templates: parts,
    outputEscape: 'escape',
    strictFilters: true,
  });
  pages.registerFilter('file_name', fileName);
  pages.registerFilter('web_url', webUrl);
  // Without templates of its own, it would read those that a path names from the disk.
  const paths = new Liquid({
    ...ANYWHERE,
    renderLimit,
    templates: {},
    outputEscape: fileName,
    strictFilters: true,
  });
  const found = [...templates].filter(([name]) => !isPartOfOthers(name));
  if (found.length === 0)
    throw new UsageError(`${folder} has no template: expected a file that begins with front matter (---).`);
  return {
    templates: found.map(([name, text]) => templateOf(name, text, { pages, paths })),
    files,
    digest: hash.digest('hex'),
  };
}

/** A site may come from others: a link in it could publish any file of the machine. @throws UsageError */
function contentOf(folder: string, name: string): Buffer {
  const path = realpathSync(join(folder, name));
  if (!path.startsWith(realpathSync(folder) + sep))
    throw new UsageError(`${name}: expected a file of the folder ${folder}, found a link to ${path}.`);
  if (!statSync(path).isFile()) throw new UsageError(`${name}: expected a regular file.`);
  return readFileSync(path);
}

function isPartOfOthers(name: string): boolean {
  return name.split('/').some((part) => part.startsWith('_'));
}

function templateOf(name: string, text: string, engines: { pages: Liquid; paths: Liquid }): Template {
  const [whole = '', yaml = ''] = MATTER.exec(text) ?? [];
  const matter = matterIn(name, yaml);
  // Errors name the line of the file.
  const skipped = `{%comment%}${'\n'.repeat(whole.split('\n').length - 1)}{%endcomment%}`;
  const page = parsed(name, () => engines.pages.parse(skipped + text.slice(whole.length), name));
  const path = parsed(name, () => engines.paths.parse(matter.path ?? ''));
  const isOfEach = matter.path !== undefined;
  const expand = matter.expand?.replaceAll(/\s/g, '');
  const render = (engine: Liquid, template: Parsed[], values: object): string =>
    parsed(name, () => engine.renderSync(template, values));
  return {
    name,
    isOfEach,
    className: matter.class,
    parameters: { expand, fields: matter.fields?.replaceAll(/\s/g, '') },
    back: [...(expand ?? '').matchAll(/\^([^\s^+().,]+)/g)].map(([, slot = '']) => slot),
    path: (record) => (isOfEach ? render(engines.paths, path, { record }) : name),
    text: (values, at) =>
      render(engines.pages, page, { ...values, path: at, root: '../'.repeat(at.split('/').length - 1) }),
  };
}

function matterIn(name: string, yaml: string): Matter {
  const matter = parsed(name, () => readYaml(yaml)) ?? {};
  if (!isJsonObject(matter))
    throw new UsageError(`${name}: expected front matter with ${KEYS.join(', ')}, found '${yaml.trim()}'.`);
  for (const [key, value] of Object.entries(matter)) {
    if (!KEYS.includes(key))
      throw new UsageError(`${name}: expected ${KEYS.join(', ')} in the front matter, found '${key}'.`);
    if (typeof value !== 'string') throw new UsageError(`${name}: ${key}: expected a string.`);
  }
  const { class: className, path, expand, fields }: Matter = matter;
  if (className === undefined && (path ?? expand ?? fields) !== undefined)
    throw new UsageError(`${name}: expected the class of the records in the front matter.`);
  return matter;
}

/** Errors of templates and of their front matter. */
function parsed<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof YamlError || LiquidError.is(error))) throw error;
    const message = error.message.replace(`file:${name}, `, '');
    throw new UsageError(`${name}: ${message.replace(/\.?$/, '.')}`);
  }
}

/** A URL that a browser only follows: of a page or a mail address. Any other, such as `javascript:`, is empty. */
function webUrl(value: unknown): string {
  return /^(?:https?:|mailto:)/i.test(String(value)) ? String(value) : '';
}
