/** What commands print of submissions and decisions. */
import type { Values } from '../../../cli/client/request.ts';
import { type PrintedRow, tableText, valueText } from '../../../cli/print.ts';
import type { Decision } from '../api-types.ts';

/** A decision with who undid it, and when, in words. */
export function decisionRow(decision: Values): PrintedRow {
  const undone = decision.undone as Decision['undone'];
  const by = undone && `by ${undone.reviewer ?? 'a curator'} at ${undone.time}`;
  return { ...decision, undone: by };
}

const TABLES = [
  ['differences', ['path', 'kind', 'changed_by', 'conflict', 'curated', 'submitted']],
  ['decisions', ['id', 'decision', 'reviewer', 'time', 'undone', 'reason']],
  ['approvals', ['id', 'reviewer', 'time']],
  ['comments', ['time', 'author', 'requests', 'text']],
] as const;

/** A submission: its fields, then tables of what it has several of. */
export function itemText(item: Values): string {
  const { curated, base, merged, approved, problems, ...rest } = item;
  const fields = Object.entries(rest).filter(([name]) => TABLES.every(([table]) => table !== name));
  const tables = TABLES.map(([name, columns]) => {
    const rows = (item[name] ?? []) as Values[];
    return rows.length === 0 ? '' : tableText(name === 'decisions' ? rows.map(decisionRow) : rows, columns);
  });
  const found = ((problems ?? []) as { msg: string }[]).map(({ msg }) => `problem: ${msg}\n`).join('');
  const parts = [valueText(Object.fromEntries(fields)), ...tables, found];
  return parts
    .filter((part) => part !== '')
    .join('\n')
    .trimEnd();
}
