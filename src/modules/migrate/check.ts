/** What `accession check` finds: edits of files that collections had their schemas in before a switch. */
import { type CheckContext, type Finding, warning } from '../../cli/operator/check/finding.ts';
import { type ConfiguredTerms, withTerms } from '../../core/collections/terms.ts';
import { editedIdleFile } from './idle-file.ts';

export async function* idleFiles({
  root,
  configuration,
  areas,
  database,
  schemas,
}: CheckContext): AsyncGenerator<Finding> {
  const open = schemas();
  for (const [name, config] of Object.entries(configuration.collections)) {
    const curated = areas.find(({ collection, area }) => collection === name && area === 'curated')?.store;
    if (!curated) continue;
    const opener = (schema: string, terms: ConfiguredTerms) =>
      open({ ...config, schema, ...withTerms(terms) });
    const file = await editedIdleFile({ database, curated, name }, root, config.schema, opener);
    if (file === undefined) continue;
    const message = `${file} was edited and is not in force: the schema is read from ${config.schema}.`;
    const remedy = `To put the edit in force: accession schema switch ${name} ${file}`;
    yield warning('schema', message, remedy, name);
  }
}
