/** Exports the records that are on the screen: the class, with its search, filters, order and columns. */
import { useRef, useState } from 'preact/hooks';
import { csvRow } from '../../src/formats/csv.ts';
import { canonicalJson, type JsonValue } from '../../src/json.ts';
import { writeValues } from '../../src/tables/cells.ts';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { isEmpty, isObject, type JsonObject } from '../shared/json.ts';
import { Progress } from '../shared/notes.tsx';
import { type PageQuery, readPage } from '../shared/records.ts';
import { type ClassDescription, type Slot, titleSlot } from '../shared/schema.ts';
import { lab, saveAs } from '../shared/service.ts';
import { toast } from '../shared/toast.tsx';
import { tb } from './texts.ts';

const FORMATS = {
  csv: { title: 'CSV', type: 'text/csv' },
  xlsx: {
    title: 'XLSX',
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  },
  ndjson: { title: 'NDJSON', type: 'application/x-ndjson' },
  ttl: { title: 'Turtle', type: 'text/turtle' },
} as const;
type Format = keyof typeof FORMATS;

const SIZE = 100;
const AT_ONCE = 8;

export function ExportDialog(props: {
  collection: string;
  description: ClassDescription;
  slots: readonly Slot[];
  query: Pick<PageQuery, 'text' | 'sort' | 'where'>;
  onClose: () => void;
}) {
  const { collection, description, slots, query, onClose } = props;
  const [format, setFormat] = useState<Format>('csv');
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const running = useRef<AbortController>(undefined);
  const close = () => {
    running.current?.abort();
    onClose();
  };
  const { busy, error, run } = useAction(async () => {
    const controller = new AbortController();
    running.current = controller;
    setProgress(undefined);
    const parts: string[] = [];
    const rows = [headerOf(description, slots)];
    if (format === 'csv') parts.push(`\ufeff${csvRow(rows[0]!)}`);
    let done = 0;
    for (let page = 1; ; page += 1) {
      const found = await readPage(
        collection,
        description.class,
        { ...query, page, size: SIZE },
        controller.signal,
      );
      for (let at = 0; at < found.items.length; at += AT_ONCE) {
        const group = found.items.slice(at, at + AT_ONCE);
        if (format === 'xlsx') rows.push(...group.map((one) => cellsOf(one, description, slots)));
        else parts.push(...(await Promise.all(group.map((one) => textOf(one, controller.signal)))));
        done += group.length;
        setProgress({ done, total: Math.max(found.total, done) });
      }
      if (found.items.length < SIZE) break;
    }
    const { type } = FORMATS[format];
    const content = format === 'xlsx' ? [await workbookOf(description.class, rows)] : parts;
    saveAs(new Blob(content, { type }), `${description.class}.${format}`);
    toast(tb('exported', { n: done }));
    onClose();
  });
  const textOf = async (record: JsonObject, signal: AbortSignal): Promise<string> => {
    if (format === 'csv') return csvRow(cellsOf(record, description, slots));
    if (format === 'ndjson') return `${canonicalJson(record as JsonValue)}\n`;
    return `${(await lab(collection, signal).getTurtle(String(record.pid))) ?? ''}\n`;
  };
  return (
    <Dialog
      title={tb('exportTitle', { name: description.title ?? description.class })}
      confirm={tb('export')}
      busy={busy}
      error={error}
      onConfirm={run}
      onClose={close}
    >
      <fieldset class="plain-set reasons">
        <legend>{tb('format')}</legend>
        {(Object.keys(FORMATS) as Format[]).map((name, index) => (
          <label key={name}>
            <input
              type="radio"
              name="format"
              data-first={index === 0 ? '' : undefined}
              checked={format === name}
              onChange={() => setFormat(name)}
            />
            {FORMATS[name].title}
          </label>
        ))}
      </fieldset>
      <p class="muted small">{tb('columnsHelp')}</p>
      {busy && progress && <Progress {...progress} label={tb('exporting', progress)} />}
    </Dialog>
  );
}

/** A workbook with one sheet. What writes it is loaded when it is needed. */
async function workbookOf(
  name: string,
  rows: readonly (readonly string[])[],
): Promise<Uint8Array<ArrayBuffer>> {
  const { writeXlsx } = await import('../../src/tables/xlsx-write.ts');
  return new Uint8Array(writeXlsx([{ name: name.slice(0, 31), rows }]));
}

/** The identifier, the name, and the columns that are shown. */
function exported(description: ClassDescription, slots: readonly Slot[]): Slot[] {
  const first = description.slots.filter(
    (slot) => slot.identifier || slot.name === titleSlot(description)?.name,
  );
  return [...first, ...slots.filter((slot) => !first.includes(slot))];
}

function headerOf(description: ClassDescription, slots: readonly Slot[]): string[] {
  return exported(description, slots).map(({ name }) => name);
}

/** Cells that an import reads again: several values are separated by `|`, and objects are JSON. */
function cellsOf(record: JsonObject, description: ClassDescription, slots: readonly Slot[]): string[] {
  return exported(description, slots).map(({ name, range }) => {
    const value = record[name];
    if (isEmpty(value)) return '';
    const values = [value].flat() as JsonValue[];
    const isStructured = values.some((one) => Array.isArray(one) || isObject(one as JsonObject));
    if (isStructured) return canonicalJson(value as JsonValue);
    return writeValues(values, range);
  });
}
