/** The types of tables of texts. */
import type { en } from './en.ts';

export type Key = keyof typeof en;
/** One text, or one for each plural form of `n`. */
export type Text = string | { readonly one: string; readonly other: string };
export type Table = Readonly<Record<Key, Text>>;
