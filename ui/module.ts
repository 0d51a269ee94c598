/** The part of a module in the desk. Its views are loaded when they are first gone to. */
import type { ComponentType } from 'preact';
import type { ViewProps } from './shared/context.ts';

export type DeskModule = {
  /** The name of its folder. */
  readonly name: string;
  /** Pages about one collection, below the views of the desk that list them. */
  readonly sections?: readonly Section[];
};

export type Section = {
  /** The last part of its URL. */
  readonly name: string;
  readonly places: readonly ('admin' | 'stewardship')[];
  title(): string;
  view(): Promise<ComponentType<ViewProps>>;
};
