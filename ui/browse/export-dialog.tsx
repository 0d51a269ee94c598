/** Exports the records of a list, or those that are selected in it: the class, with its search, filters, order and columns. */
import { useRef, useState } from 'preact/hooks';
import { canonicalJson, type JsonValue } from '#linkml/json.ts';
import type { ExportFormat, WriteExport } from '../module.ts';
import { EXPORT_FORMATS } from '../modules.ts';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { fetchPart } from '../shared/fetched.ts';
import type { JsonObject } from '../shared/json.ts';
import { Progress } from '../shared/notes.tsx';
import type { ClassDescription, Slot } from '../shared/schema.ts';
import { lab, saveAs } from '../shared/service.ts';
import { toast } from '../shared/toast.tsx';
import { type ListQuery, pagesOf } from './changes.ts';
import { tb } from './texts.ts';

const FORMATS: readonly ExportFormat[] = [
  ...EXPORT_FORMATS,
  { name: 'ndjson', title: 'NDJSON', type: 'application/x-ndjson', write: async () => writeLines },
  { name: 'ttl', title: 'Turtle', type: 'text/turtle', write: async () => writeTurtle },
];

const writeLines: WriteExport = async function* (groups) {
  for await (const records of groups)
    yield records.map((record) => `${canonicalJson(record as JsonValue)}\n`).join('');
};

const writeTurtle: WriteExport = async function* (groups, { collection, signal }) {
  const turtleOf = ({ pid }: JsonObject) => lab(collection, signal).getTurtle(String(pid));
  for await (const records of groups)
    for (const text of await Promise.all(records.map(turtleOf))) yield `${text ?? ''}\n`;
};

const AT_ONCE = 8;

export function ExportDialog(props: {
  collection: string;
  description: ClassDescription;
  slots: readonly Slot[];
  query: ListQuery;
  /** Some rows of the list, in place of all. */
  rows?: readonly JsonObject[];
  onClose: () => void;
}) {
  const { collection, description, slots, query, rows, onClose } = props;
  const [format, setFormat] = useState(FORMATS[0]!);
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
    const { signal } = controller;
    let done = 0;
    const groups = async function* () {
      const pages = rows
        ? [{ items: rows, total: rows.length }]
        : pagesOf(collection, description.class, query, signal);
      for await (const { items, total } of pages)
        for (let at = 0; at < items.length; at += AT_ONCE) {
          const group = items.slice(at, at + AT_ONCE);
          yield group;
          done += group.length;
          setProgress({ done, total: Math.max(total, done) });
        }
    };
    const write = await fetchPart(format.write);
    const content: BlobPart[] = [];
    for await (const piece of write(groups(), { collection, description, slots, signal }))
      content.push(piece);
    saveAs(new Blob(content, { type: format.type }), `${description.class}.${format.name}`);
    toast(tb('exported', { n: done }));
    onClose();
  });
  return (
    <Dialog
      title={
        rows
          ? tb('exportRows', { n: rows.length })
          : tb('exportTitle', { name: description.title ?? description.class })
      }
      confirm={tb('export')}
      busy={busy}
      error={error}
      onConfirm={run}
      onClose={close}
    >
      <fieldset class="plain-set reasons">
        <legend class="label">{tb('format')}</legend>
        {FORMATS.map((one, index) => (
          <label key={one.name}>
            <input
              type="radio"
              name="format"
              data-first={index === 0 ? '' : undefined}
              checked={format === one}
              onChange={() => setFormat(one)}
            />
            {one.title}
          </label>
        ))}
      </fieldset>
      {format.help && <p class="muted small">{format.help()}</p>}
      {busy && progress && <Progress {...progress} label={tb('exporting', progress)} />}
    </Dialog>
  );
}
