/** `accession render`: a folder of pages from one state of a collection, kept up to date by its changes. */
import { hash } from 'node:crypto';
import { openSchemaText } from '../../../core/schema/schema.ts';
import { complain, PROBLEMS_FOUND, UsageError } from '../../outcome.ts';
import { countText } from '../../print.ts';
import { startProgress } from '../../progress.ts';
import { version } from '../../version.ts';
import { followedArea, serviceOf, urlOf } from '../target.ts';
import { Output } from './output.ts';
import { Rendering } from './pages.ts';
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
  const output = new Output(place, hash('sha256', JSON.stringify(what), 'hex'));
  using progress = startProgress('pages');
  const rendering = new Rendering({ area, schema, site, output, progress });
  await rendering.run();
  const { changed, removed } = output.written;
  process.stderr.write(
    `${countText(changed, 'page')} written, ${removed} removed, ${output.pages.size} in ${place}\n`,
  );
  for (const problem of rendering.truncated) complain(problem);
  return rendering.truncated.length > 0 ? PROBLEMS_FOUND : 0;
}
