/** Reads the file of an import in the background, until it is there or given up. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { identifierPrefix } from '../../../../ui/form/new-record.ts';
import { readClass } from '../../../../ui/shared/schema.ts';
import { csvRow } from '../files/csv.ts';
import type { ImportWay } from './import-way.ts';
import { readFile, UnreadFile } from './read-file.ts';
import { ofFile } from './read-options.tsx';
import { sheetOf, targetsOf } from './sheet.ts';

/** A file that is being read. */
export type Reading = { readonly file: File; readonly cancel: () => void };

export function useFile({ collection, draft, chosen, attempt, send }: ImportWay) {
  const [reading, setReading] = useState<Reading>();
  const [unread, setUnread] = useState<string>();
  const reader = useRef<AbortController>(undefined);
  useEffect(() => () => reader.current?.abort(), []);
  const open = async (file: File, signal: AbortSignal) => {
    const sheet = sheetOf(await readFile(file, ofFile(draft.options), signal));
    // The service knows which slots the headers name.
    const [result, prefix] = await Promise.all([
      send(csvRow(sheet.header), { dryRun: true }),
      readClass(collection, chosen).then((one) => identifierPrefix(collection, one)),
    ]);
    signal.throwIfAborted();
    draft.kept.change({ sheet });
    draft.note({
      className: chosen,
      step: 'columns',
      targets: [...targetsOf(result)],
      making: { make: true, prefix },
      cells: {},
    });
  };
  const choose = (file: File) =>
    attempt(async () => {
      reader.current?.abort();
      const own = new AbortController();
      reader.current = own;
      setReading({ file, cancel: () => own.abort() });
      try {
        await open(file, own.signal);
      } catch (error) {
        if (own.signal.aborted) return;
        if (!(error instanceof UnreadFile)) throw error;
        setUnread(error.message);
      } finally {
        if (reader.current === own) setReading(undefined);
      }
    });
  return { reading, unread, setUnread, choose };
}
