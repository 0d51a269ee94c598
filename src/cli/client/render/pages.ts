/**
 * Makes pages: all of them the first time, later those that may show a change. Both lead to the same folder, because a page is noted
 * with the IRIs of all that is named in it. What a record includes can only change with a record that is named in it, or with one
 * that refers to such a record by a step back of the template.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { type AreaClient, ClientError, type FollowedChange } from '../../../client/client.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import { classNamedIn } from '../../../core/schema-type.ts';
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

/** Changes by the IRI of the record, the last one of each. */
type Changes = ReadonlyMap<string, FollowedChange>;

const isGone = ({ kind }: FollowedChange) => kind === 'deleted' || kind === 'moved';

export class Rendering {
  /** Values that are too much for a page. */
  readonly truncated: string[] = [];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { area, output } = this.#parts;
    const since = output.cursor;
    const changes = since === undefined ? undefined : await changesBehind(area, since);
    if (changes?.size === 0) return;
    output.begin();
    if (changes) await this.#renderChanges(changes);
    else await this.#renderAll();
  }

  async #renderAll(): Promise<void> {
    const { area, site, output } = this.#parts;
    const cursor = await area.cursor();
    output.clear();
    for (const [name, content] of site.files) output.write(name, content, { template: name, needs: [] });
    const records = site.templates.filter(({ className }) => className !== undefined);
    for (const template of site.templates) if (!records.includes(template)) this.#write(template, {});
    await this.#renderTemplates(records, momentOf(cursor));
    output.end(cursor);
  }

  async #renderChanges(changes: Changes): Promise<void> {
    const { schema, site, output } = this.#parts;
    const cursor = [...changes.values()].at(-1)!.cursor;
    const at = momentOf(cursor);
    const references = await this.#backReferences(changes, at);
    const lists: Template[] = [];
    const each: { readonly template: Template; readonly pids: ReadonlyMap<string, string> }[] = [];
    // All pages that are made again are left out first: one may get the path of another.
    for (const template of site.templates) {
      if (template.className === undefined) continue;
      const classes = new Set(schema.descendants(template.className));
      const referred = template.back.flatMap((slot) => [...references.get(slot)!]);
      const isNews = (iri: string) => changes.has(iri) || referred.includes(iri);
      const pids = new Map<string, string>();
      let isAffected = false;
      for (const [path, made] of output.pages) {
        if (made.template !== template.name || !made.needs.some(isNews)) continue;
        isAffected = true;
        if (!template.isOfEach) continue;
        output.forget(path);
        pids.set(made.iri!, made.pid!);
      }
      for (const change of changes.values()) {
        if (!classes.has(change.class)) continue;
        isAffected = true;
        if (!isGone(change)) pids.set(change.iri, change.pid);
      }
      if (template.isOfEach) each.push({ template, pids });
      else if (isAffected) lists.push(template);
    }
    for (const { name } of lists) output.forget(name);
    for (const { template, pids } of each)
      for (const [iri, pid] of pids) await this.#renderRecord(template, iri, pid, at);
    await this.#renderTemplates(lists, at);
    output.end(cursor);
  }

  /** The IRIs that changed records refer to, by the slots of steps back. */
  async #backReferences(changes: Changes, at: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const { area, site } = this.#parts;
    const slots = new Set(site.templates.flatMap(({ back }) => back));
    const found = new Map([...slots].map((slot) => [slot, new Set<string>()]));
    if (found.size === 0) return found;
    for (const change of changes.values()) {
      const record = isGone(change) ? undefined : await area.get(change.pid, { at });
      if (record)
        for (const [slot, iris] of found)
          for (const iri of this.#iris(recordIn(record.text), slot)) iris.add(iri);
    }
    return found;
  }

  /** Makes all pages of some templates. Those that ask for the same share one stream of records. */
  async #renderTemplates(templates: readonly Template[], at: string): Promise<void> {
    const { area, schema } = this.#parts;
    const groups = Map.groupBy(templates, ({ parameters }) => JSON.stringify(parameters));
    for (const group of groups.values()) {
      const { parameters } = group[0]!;
      const lists = new Map(
        group.filter(({ isOfEach }) => !isOfEach).map((one) => [one, [] as JsonObject[]]),
      );
      for await (const line of area.exportLines({ at, ...parameters })) {
        const record = recordIn(line);
        const className = classNamedIn(schema, record);
        for (const template of group) {
          if (!schema.descendants(template.className!).includes(className ?? '')) continue;
          if (template.isOfEach) this.#write(template, { record });
          else lists.get(template)!.push(record);
        }
      }
      for (const [template, records] of lists) this.#write(template, { records });
    }
  }

  /** Makes the page of a record, if there is one. The pid of a renamed record leads to another one. */
  async #renderRecord(template: Template, iri: string, pid: string, at: string): Promise<void> {
    const { area, schema } = this.#parts;
    const { parameters, className } = template;
    const found = await area.get(pid, { at, ...parameters });
    const record = found && recordIn(found.text);
    if (record && schema.expand(String(record.pid)) !== iri) return;
    if (record && schema.descendants(className!).includes(classNamedIn(schema, record) ?? ''))
      this.#write(template, { record });
  }

  #write(
    template: Template,
    values: { readonly record?: JsonObject; readonly records?: readonly JsonObject[] },
  ): void {
    const { output, progress, schema } = this.#parts;
    const { record, records = [] } = values;
    const path = template.path(record);
    const needs = new Set([record ?? [], ...records].flatMap((one) => [...this.#iris(one)]));
    const pid = record && String(record.pid);
    const iri = pid === undefined ? undefined : schema.expand(pid);
    const text = template.text(values, path);
    output.write(path, text, { template: template.name, ...(iri && { pid, iri }), needs: [...needs] });
    if ([record ?? {}, ...records].some((one) => Object.hasOwn(one, '@truncated')))
      this.truncated.push(
        `${path}: 'expand' includes more than a response can have: its @truncated lists the rest.`,
      );
    progress.advance(1);
  }

  /** Finds the IRIs in a value, below a slot if one is given: all that can be resolved. */
  *#iris(value: JsonValue, slot?: string, isBelow = slot === undefined): Generator<string> {
    const { schema } = this.#parts;
    if (typeof value === 'string' && isBelow) {
      const iris = [schema.expand(value), schema.expandReference(value)];
      for (const iri of new Set(iris)) if (iri !== undefined) yield iri;
    } else if (Array.isArray(value)) for (const one of value) yield* this.#iris(one, slot, isBelow);
    else if (isJsonObject(value))
      for (const [key, one] of Object.entries(value)) {
        // The keys of inlined objects are pids, too.
        yield* this.#iris(key, slot, isBelow);
        yield* this.#iris(one, slot, isBelow || key === slot);
      }
  }
}

/** The changes behind a cursor; undefined if they are not kept any more. */
async function changesBehind(area: AreaClient, since: string): Promise<Changes | undefined> {
  const changes = new Map<string, FollowedChange>();
  try {
    for await (const change of area.changes({ since, once: true })) {
      changes.delete(change.iri);
      changes.set(change.iri, change);
    }
  } catch (error) {
    if (error instanceof ClientError && error.status === 410) return undefined;
    throw error;
  }
  return changes;
}

/** The state behind a cursor, for `at`. */
function momentOf(cursor: string): string {
  return cursor.slice(cursor.indexOf(':') + 1);
}
