/** The part of a module in the desk. Its views are loaded when they are first gone to. */
import type { ComponentType } from 'preact';
import type { ModuleControl } from './form/controls.ts';
import type { ViewProps } from './shared/context.ts';
import type { IconName } from './shared/icons.tsx';
import type { JsonObject } from './shared/json.ts';
import type { ClassDescription, Slot } from './shared/schema.ts';
import type { Permission } from './shared/session.ts';

export type DeskModule = {
  /** The name of its folder. */
  readonly name: string;
  /** Pages about one collection, below the views of the desk that list them. */
  readonly sections?: readonly Section[];
  /** What is shown beside a record. */
  readonly panels?: readonly Panel[];
  /** Dialogs about the rows of Browse, each with a button above them. */
  readonly browseTools?: readonly BrowseTool[];
  /** Pages with a URL of their own. */
  readonly views?: readonly View[];
  /** Formats of the files that Browse exports. */
  readonly exportFormats?: readonly ExportFormat[];
  /** Controls for values in forms. */
  readonly controls?: readonly ModuleControl[];
};

export type Section = {
  /** The last part of its URL. */
  readonly name: string;
  readonly places: readonly ('admin' | 'stewardship')[];
  title(): string;
  view(): Promise<ComponentType<ViewProps>>;
};

export type View = {
  /** The last part of its URL: `/<collection>/<name>`, or `/<name>` for a view below the desk. */
  readonly name: string;
  readonly below: 'collection' | 'desk';
  /** The permissions of which a view below a collection needs one; default: any. A view below the desk needs no token. */
  readonly needs?: readonly Permission[];
  /** Its entry in the rail, of a view below a collection: for users who are signed in and have the permission. */
  readonly rail?: { readonly icon: IconName; title(): string };
  /** The entry of the rail that is marked in a view without its own. */
  readonly entry?: string;
  /** Links to it in other views, of a view below a collection. */
  readonly link?: {
    readonly places: readonly ('browse' | 'submissions')[];
    readonly icon: IconName;
    title(): string;
  };
  /** Gets an empty name of the collection if it is below the desk. */
  view(): Promise<ComponentType<ViewProps>>;
};

export type Panel = {
  readonly name: string;
  /** The records that it is shown beside. */
  readonly of: 'curated';
  view(): Promise<ComponentType<PanelProps>>;
};
export type PanelProps = { readonly collection: string; readonly pid: string };

export type BrowseTool = {
  readonly name: string;
  readonly icon: IconName;
  label(): string;
  view(): Promise<ComponentType<BrowseToolProps>>;
};

export type BrowseToolProps = {
  readonly collection: string;
  readonly description: ClassDescription;
  /** The columns that are shown. */
  readonly slots: readonly Slot[];
  /** The widths that the user has given them, after that of the name. */
  readonly shares: readonly number[] | undefined;
  readonly onClose: () => void;
};

export type ExportFormat = {
  /** The suffix of its files. */
  readonly name: string;
  readonly title: string;
  /** The media type. */
  readonly type: string;
  /** Explains the file. */
  help?(): string;
  /** Loads the function that writes a file. */
  write(): Promise<WriteExport>;
};

/** Writes records of a class, which are read in groups, as the pieces of a file. */
export type WriteExport = (
  groups: AsyncIterable<readonly JsonObject[]>,
  of: {
    readonly collection: string;
    readonly description: ClassDescription;
    /** The columns that are shown. */
    readonly slots: readonly Slot[];
    readonly signal: AbortSignal;
  },
) => AsyncIterable<BlobPart>;
