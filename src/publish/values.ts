/** The values of a record for people: slots by their titles, references and web addresses as links. */
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  Numeral,
  pointerSegment,
} from '../json.ts';
import type { Schema, SlotDefinition, SlotRange } from '../schema/schema.ts';
import { classNamedIn, SCHEMA_TYPE } from '../schema-type.ts';
import { type Html, html, webAddress } from './html.ts';

/** A record that another one refers to, or that refers to it. */
export type LinkedRecord = { readonly pid: string; readonly title: string | null; readonly url: string };

export type Shown = {
  readonly schema: Schema;
  /** By the JSON Pointer of a reference: the record, if there is one that the caller sees. */
  readonly targets: ReadonlyMap<string, LinkedRecord>;
};

/** The values of an object, in the order of the slots of its class. */
export function shownObject(shown: Shown, className: string, object: JsonObject, pointer = ''): Html {
  const slots = shown.schema.classes.get(className)?.slots;
  // The page names the class of its record; of objects in it, the class is a value like others.
  const isShown = ({ name, designatesType }: SlotDefinition) =>
    Object.hasOwn(object, name) && !(designatesType && pointer === '');
  const known = [...(slots?.values() ?? [])].filter(isShown);
  const others = Object.keys(object).filter((name) => name !== SCHEMA_TYPE && !slots?.has(name));
  return html`<dl>${[
    ...known.map((slot) => {
      const value = shownSlot(shown, slot, object[slot.name]!, `${pointer}/${pointerSegment(slot.name)}`);
      return html`<dt title="${slot.description ?? slot.name}">${titleOfSlot(slot)}</dt><dd>${value}</dd>`;
    }),
    ...others.map((name) => html`<dt>${name}</dt><dd>${shownText(object[name]!)}</dd>`),
  ]}</dl>`;
}

function titleOfSlot({ title, name }: SlotDefinition): string {
  return title ?? name.replaceAll('_', ' ');
}

function shownSlot(shown: Shown, { range }: SlotDefinition, value: JsonValue, pointer: string): Html {
  if (Array.isArray(value)) {
    const items = value.map((one, at) => shownValue(shown, range, one, `${pointer}/${at}`));
    return items.length === 1 ? items[0]! : html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  }
  const isMapping = range.kind === 'class' && /dict/.test(range.inlining) && isJsonObject(value);
  if (!isMapping) return shownValue(shown, range, value, pointer);
  const entries = Object.entries(value).map(([key, one]) => {
    const inner = shownValue(shown, range, one, `${pointer}/${pointerSegment(key)}`);
    return html`<dt>${key}</dt><dd>${inner}</dd>`;
  });
  return html`<dl>${entries}</dl>`;
}

function shownValue(shown: Shown, range: SlotRange, value: JsonValue, pointer: string): Html {
  const target = shown.targets.get(pointer);
  if (target) return html`<a href="${target.url}">${target.title ?? target.pid}</a>`;
  if (isJsonObject(value)) {
    const given = range.kind === 'class' ? range.className : '';
    return shownObject(shown, classNamedIn(shown.schema, value) ?? given, value, pointer);
  }
  if (range.kind === 'enum' && typeof value === 'string') {
    const { title, meaning } = range.enum.values.get(value) ?? {};
    return linked(title ?? value, meaning === undefined ? undefined : shown.schema.expand(meaning));
  }
  if (typeof value !== 'string') return shownText(value);
  const isIri = range.kind !== 'type' || range.type.isIri;
  return linked(value, isIri ? (shown.schema.expandReference(value) ?? value) : value);
}

/** A string that leads to an address, if that is one of the web. */
function linked(text: string, address: string | undefined): Html {
  const url = address === undefined ? undefined : webAddress(address);
  return url === undefined ? html`${text}` : html`<a href="${url}">${text}</a>`;
}

function shownText(value: JsonValue): Html {
  if (typeof value === 'string') return html`${value}`;
  return html`${value instanceof Numeral ? value.source : canonicalJson(value)}`;
}
