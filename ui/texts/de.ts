/** The texts in German. */
import type { Table } from './texts.ts';

export const de: Table = {} as Table;
