/** The controls that modules have for values. They come before those of the form. */
import { type ComponentType, createContext } from 'preact';
import type { Range } from '../shared/schema.ts';
import type { ControlProps } from './control.tsx';

export type ModuleControl = {
  readonly name: string;
  /** Whether single values of a range are chosen with it. */
  fits(range: Range): boolean;
  /** Loads it when it is first needed. */
  view(): Promise<ComponentType<ControlProps>>;
};

export const Controls = createContext<readonly ModuleControl[]>([]);
