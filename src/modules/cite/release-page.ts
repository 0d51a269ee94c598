/** The page of a release for people: what it is, who made it, its files, and what has changed. */
import { type Html, html } from '../../core/formats/html.ts';
import { page } from '../publish/page.ts';
import { ARCHIVE } from '../releases/archive-name.ts';
import type { Release } from '../releases/releases.ts';
import { CITATION_FORMATS, type Citation, citationLinks } from './formats.ts';
import type { CiteSettings } from './settings.ts';

type ReleasePage = {
  readonly release: Release;
  readonly citation: Citation;
  readonly funders: NonNullable<CiteSettings['funders']>;
  /** Of a path below the collection. */
  urlOf(path: string): string;
};

export function releasePage({ release, citation, funders, urlOf }: ReleasePage): string {
  const { name, notes, time, made, state, reason, revision } = release;
  const { title, creators, publisher, license, doi } = citation;
  const own = `releases/${encodeURIComponent(name)}`;
  const link = (url: string, text = url) => html`<a href="${url}">${text}</a>`;
  const facts: readonly (readonly [string, Html | undefined])[] = [
    [
      'Creators',
      listOf(
        creators.map((one) =>
          one.orcid ? link(`https://orcid.org/${one.orcid}`, one.name) : html`${one.name}`,
        ),
      ),
    ],
    ['Publisher', publisher === undefined ? undefined : html`${publisher}`],
    ['Released', html`${time.slice(0, 10)}`],
    ['DOI', doi === undefined ? undefined : link(`https://doi.org/${doi}`, doi)],
    ['License', license === undefined ? undefined : link(license)],
    [
      'Funding',
      listOf(funders.map((one) => html`${one.name}${one.award === undefined ? '' : `, grant ${one.award}`}`)),
    ],
    ['Records', made && html`${made.records.toLocaleString('en')}, of revision ${revision}`],
    ['Changes', made?.changes ? changesOf(made.changes) : undefined],
  ];
  const files =
    state === 'done' && made ? [{ path: ARCHIVE, size: made.size, digest: made.digest }, ...made.files] : [];
  const formats = citationLinks({ release: name }).map(
    ({ title, path }) => html`<a href="${urlOf(path)}">${title}</a>`,
  );
  return page(
    `${title}, ${name}`,
    html`<link rel="canonical" href="${citation.url}">
<link rel="describedby" type="application/json" href="${urlOf(own)}">
${files.map((file) => html`<link rel="item" href="${urlOf(`${own}/${file.path}`)}">\n`)}`,
    html`<h1>${title}</h1>
<p class="about">Release ${name}</p>
${state === 'withdrawn' ? html`<p><b>Withdrawn.</b> ${reason}</p>` : ''}
${notes === null ? '' : html`<p>${notes}</p>`}
<dl>${facts.map(([term, value]) => (value === undefined ? '' : html`<dt>${term}</dt><dd>${value}</dd>`))}</dl>
${
  files.length === 0
    ? ''
    : html`<h2>Files</h2>
<dl>${files.map((file) => html`<dt>${link(urlOf(`${own}/${file.path}`), file.path)}</dt><dd>${sizeOf(file.size)}<br>SHA-256 ${file.digest}</dd>`)}</dl>`
}
${
  state !== 'done'
    ? ''
    : html`<h2>Cite</h2>
<p>${CITATION_FORMATS.text.write(citation)}</p>
<p class="screen">As ${formats.map((one, at) => (at === 0 ? one : html`, ${one}`))}</p>`
}`,
  );
}

function listOf(items: readonly Html[]): Html | undefined {
  return items.length === 0 ? undefined : html`<ul>${items.map((one) => html`<li>${one}</li>`)}</ul>`;
}

function changesOf({
  since,
  created,
  replaced,
  deleted,
}: NonNullable<NonNullable<Release['made']>['changes']>): Html {
  return html`since ${since}: ${created} new, ${replaced} changed, ${deleted} deleted`;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toLocaleString('en', { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}
