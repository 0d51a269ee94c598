/** `accession render`: a folder of pages from one state of a collection. */
import { createHash } from 'node:crypto';
import { openSchemaText } from '../../../schema/schema.ts';
import { complain, PROBLEMS_FOUND, UsageError } from '../../outcome.ts';
import { counted } from '../../print.ts';
import { startProgress } from '../../progress.ts';
import { version } from '../../version.ts';
import { followedArea, serviceOf, urlOf } from '../target.ts';
import { Output } from './output.ts';
import { makePages } from './pages.ts';
import { readSite } from './site.ts';

export async function render(
  name: string,
  folder: string,
  place: string,
  options: { readonly url?: string },
): Promise<number> {
  const service = serviceOf(options.url);
  const collection = service.collection(name);
  const site = readSite(folder);
  const { collections } = await service.me(name);
  const area = followedArea(collection, collections[name]?.permissions ?? []);
  if (!area)
    throw new UsageError(
      `${name}: expected a token that curates, or one that reads curated records and no zone (READ_CURATED).`,
    );
  const text = await collection.schema({ merged: true });
  const schema = await openSchemaText(text, 'schema.yaml');
  for (const { name: template, className } of site.templates)
    if (className !== undefined && !schema.classes.has(className))
      throw new UsageError(`${template}: class: expected a class of the schema, found '${className}'.`);
  const what = [urlOf(options.url), name, text, site.digest, version()];
  const output = new Output(place, createHash('sha256').update(JSON.stringify(what)).digest('hex'));
  const cursor = await area.cursor();
  if (output.shows(cursor)) {
    process.stderr.write(`Nothing has changed since the pages in ${place} were made.\n`);
    return 0;
  }
  using progress = startProgress('pages');
  output.begin();
  const truncated = await makePages({ area, schema, site, output, progress }, momentOf(cursor));
  output.end(cursor);
  const { changed, removed, all } = output.count;
  process.stderr.write(`${counted(changed, 'page')} written, ${removed} removed, ${all} in ${place}\n`);
  for (const problem of truncated) complain(problem);
  return truncated.length > 0 ? PROBLEMS_FOUND : 0;
}

/** The state behind a cursor, for `at`. */
function momentOf(cursor: string): string {
  return cursor.slice(cursor.indexOf(':') + 1);
}
