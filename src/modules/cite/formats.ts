/**
 * Citations in the formats that programs for references read. They are a handful of fields each, written here: the processors of
 * citation styles that are kept have other licenses, and bring a client of HTTP.
 */
import type { CitationLink } from '../publish/citation-links.ts';

type Creator = { readonly name: string; readonly orcid?: string };

export type Citation = {
  /** Identifies it in lists of references: letters, digits and hyphens. */
  readonly key: string;
  readonly title: string;
  readonly creators: readonly Creator[];
  /** ISO 8601, as far as it is known. */
  readonly date: string | undefined;
  readonly publisher: string | undefined;
  /** Of a release. */
  readonly version: string | undefined;
  /** Without braces. */
  readonly doi: string | undefined;
  readonly url: string;
  readonly license: string | undefined;
};

type CitationFormat = {
  readonly title: string;
  readonly mediaType: string;
  /** The suffix of its files. */
  readonly suffix: string;
  write(citation: Citation): string;
};

export const CITATION_FORMATS = {
  text: { title: 'Text', mediaType: 'text/plain', suffix: 'txt', write: textOf },
  bibtex: { title: 'BibTeX', mediaType: 'application/x-bibtex', suffix: 'bib', write: bibtexOf },
  ris: { title: 'RIS', mediaType: 'application/x-research-info-systems', suffix: 'ris', write: risOf },
  csl: {
    title: 'CSL JSON',
    mediaType: 'application/vnd.citationstyles.csl+json',
    suffix: 'json',
    write: cslOf,
  },
} satisfies Record<string, CitationFormat>;
export type FormatName = keyof typeof CITATION_FORMATS;
export const FORMAT_NAMES = Object.keys(CITATION_FORMATS) as FormatName[];

/** Where a record or a release is cited in each format. */
export function citationLinks(
  cited: { readonly pid: string } | { readonly release: string },
): CitationLink[] {
  return FORMAT_NAMES.map((format) => ({
    title: CITATION_FORMATS[format].title,
    path: `cite?${new URLSearchParams({ ...cited, format })}`,
  }));
}

const urlOf = ({ doi, url }: Citation) => (doi === undefined ? url : `https://doi.org/${doi}`);
const DATE = /^(\d{4})(?:-(0[1-9]|1[0-2])(?!\d)(?:-(0[1-9]|[12]\d|3[01])(?!\d))?)?/;
/** The year, the month and the day of a citation, as far as it has them. */
const dateOf = ({ date = '' }: Citation) => DATE.exec(date)?.slice(1).filter(Boolean) ?? [];
const yearOf = (citation: Citation) => dateOf(citation)[0];
/** A line feed would end a field. */
const inLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** As DataCite recommends: Creator (Year): Title. Version. Publisher. Identifier. Without creators, the title is first. */
function textOf(citation: Citation): string {
  const { creators, title, version, publisher } = citation;
  const year = yearOf(citation);
  const dated = (text: string) => (year === undefined ? text : `${text} (${year})`);
  const who = creators.map(({ name }) => name).join('; ');
  const head = who === '' ? dated(title) : `${dated(who)}: ${title}`;
  const sentences = [head, version && `Version ${version}`, publisher].flatMap((one) =>
    one ? [inLine(one).replace(/\.$/, '')] : [],
  );
  return `${sentences.join('. ')}. ${urlOf(citation)}\n`;
}

/** BibTeX counts braces behind a backslash, too: one without the other would end a field. */
const IN_TEX: Readonly<Record<string, string>> = {
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};
/** Signs that TeX reads as commands, as text. */
const tex = (text: string) => inLine(text).replace(/[\\~^{}%$&#_]/g, (sign) => IN_TEX[sign] ?? `\\${sign}`);

/** An entry of biblatex, which older BibTeX reads as `misc`. Braces keep the capitals of the title. */
function bibtexOf(citation: Citation): string {
  const { key, title, creators, publisher, version, doi, url, license } = citation;
  const fields: readonly [name: string, value: string | undefined][] = [
    ['title', `{${tex(title)}}`],
    ['author', creators.map(({ name }) => (name.includes(',') ? tex(name) : `{${tex(name)}}`)).join(' and ')],
    ['year', yearOf(citation)],
    ['publisher', publisher && tex(publisher)],
    ['version', version && tex(version)],
    ['doi', doi],
    ['url', url.replace(/[{}]/g, encodeURIComponent)],
    ['note', license && `License: ${tex(license)}`],
  ];
  const lines = fields.flatMap(([name, value]) => (value ? [`  ${name} = {${value}}`] : []));
  return `@dataset{${key},\n${lines.join(',\n')}\n}\n`;
}

function risOf(citation: Citation): string {
  const { key, title, creators, publisher, version, doi, url } = citation;
  const fields: readonly [tag: string, value: string | undefined][] = [
    ['TY', 'DATA'],
    ['ID', key],
    ['TI', title],
    ...creators.map(({ name }): [string, string] => ['AU', name]),
    ['PY', yearOf(citation)],
    ['DA', dateOf(citation).join('/')],
    ['PB', publisher],
    ['ET', version],
    ['DO', doi],
    ['UR', url],
  ];
  const lines = fields.flatMap(([tag, value]) => (value ? [`${tag}  - ${inLine(value)}`] : []));
  return `${[...lines, 'ER  - '].join('\r\n')}\r\n`;
}

/** An array with one item, as `csl-data.json` demands. */
function cslOf(citation: Citation): string {
  const { key, title, creators, publisher, version, doi, url } = citation;
  const parts = dateOf(citation).map(Number);
  const item = {
    id: key,
    type: 'dataset',
    title,
    ...(creators.length > 0 && { author: creators.map(cslName) }),
    ...(parts.length > 0 && { issued: { 'date-parts': [parts] } }),
    ...(publisher !== undefined && { publisher }),
    ...(version !== undefined && { version }),
    ...(doi !== undefined && { DOI: doi }),
    URL: url,
  };
  return `${JSON.stringify([item], null, 2)}\n`;
}

function cslName({ name }: Creator) {
  const [, family, given] = /^([^,]+),\s*(.+)$/.exec(name) ?? [];
  return family === undefined ? { literal: name } : { family, given };
}
