/** Makes the pages of a site from one state of an area. */
import type { AreaClient } from '../../../client/client.ts';
import type { JsonObject } from '../../../json.ts';
import type { Schema } from '../../../schema/schema.ts';
import { classNamedIn } from '../../../schema-type.ts';
import type { Progress } from '../../progress.ts';
import { recordIn } from '../records.ts';
import type { Output } from './output.ts';
import type { Site, Template } from './site.ts';

type Parts = {
  readonly area: AreaClient;
  readonly schema: Schema;
  readonly site: Site;
  readonly output: Output;
  readonly progress: Progress;
};

type Values = { readonly record?: JsonObject; readonly records?: readonly JsonObject[] };

/**
 * Makes all pages, those of one `expand` and `fields` from one stream of records.
 *
 * @param at the state
 * @returns what pages do not show, because it is too much
 */
export async function makePages(
  { area, schema, site, output, progress }: Parts,
  at: string,
): Promise<string[]> {
  const truncated: string[] = [];
  const make = (template: Template, values: Values) => {
    const { record, records = [] } = values;
    const path = template.path(record);
    output.write(path, template.text(values, path), { template: template.name, pid: record?.pid });
    if ([record ?? {}, ...records].some((one) => Object.hasOwn(one, '@truncated')))
      truncated.push(
        `${path}: 'expand' includes more than a response can have: see @truncated in docs/http.md.`,
      );
    progress.advance(1);
  };
  for (const [name, content] of site.files) output.write(name, content, { template: name });
  const ofRecords = site.templates.filter(({ className }) => className !== undefined);
  for (const template of site.templates) if (!ofRecords.includes(template)) make(template, {});
  const groups = Map.groupBy(ofRecords, ({ expand, fields }) => JSON.stringify([expand, fields]));
  for (const group of groups.values()) {
    const { expand, fields } = group[0]!;
    const lists = new Map(group.filter(({ isOfEach }) => !isOfEach).map((one) => [one, [] as JsonObject[]]));
    for await (const line of area.exportLines({ at, expand, fields })) {
      const record = recordIn(line);
      const className = classNamedIn(schema, record);
      for (const template of group) {
        if (!schema.descendants(template.className!).includes(className ?? '')) continue;
        if (template.isOfEach) make(template, { record });
        else lists.get(template)!.push(record);
      }
    }
    for (const [template, records] of lists) make(template, { records });
  }
  return truncated;
}
