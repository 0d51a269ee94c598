/** The part of a module in the desk. Its views are loaded when they are first gone to. */
import type { ComponentChild, ComponentType } from 'preact';
import type { ClientError } from '../src/client/client.ts';
import type { Where } from './browse/filters.ts';
import type { ModuleControl } from './form/controls.ts';
import type { ViewProps } from './shared/context.ts';
import type { IconName } from './shared/icons.tsx';
import type { JsonObject } from './shared/json.ts';
import type { PeopleModule } from './shared/people.ts';
import type { ClassDescription, Slot } from './shared/schema.ts';
import type { Permission } from './shared/session.ts';
import type { SubmissionUrls } from './shared/submission-urls.ts';

export type DeskModule = {
  /** The name of its folder. */
  readonly name: string;
  /** Pages about one collection, below the views of the desk that list them, and parts of its settings. */
  readonly sections?: readonly Section[];
  /** What is shown about a record, a release or a collection. */
  readonly panels?: readonly Panel[];
  /** Dialogs about the rows of Browse, each with a button above them. */
  readonly browseTools?: readonly BrowseTool[];
  /** Pages with a URL of their own. */
  readonly views?: readonly View[];
  /** Formats of the files that Browse exports. */
  readonly exportFormats?: readonly ExportFormat[];
  /** Controls for values in forms. */
  readonly controls?: readonly ModuleControl[];
  /** The hook of the home view: what the module shows there of the collection on the screen. */
  useHome?(collection: string | undefined): HomeParts;
  /** Reads again what entries of the rail count: after a change of the user, the collection or a record, and every few seconds. */
  count?(collection: string | undefined): Promise<void>;
  /** Sessions of people. One module has them. */
  readonly people?: PeopleModule;
  /** Where submissions are shown. One module has them. */
  readonly submissions?: SubmissionUrls;
  /** Draws how many records have a number or a date in each range, where Browse asks for one. One module does. */
  rangeChart?(): Promise<ComponentType<RangeChartProps>>;
  /**
   * Rehearses another schema before a collection is saved with it. One module does.
   *
   * @returns nothing if the collection does not run
   */
  readonly rehearse?: (configured: Configured) => Promise<RehearsedReplacement | undefined>;
};

/** The configuration of a collection. */
export type Configured = { readonly name: string; readonly [key: string]: unknown };

export type RehearsedReplacement = {
  /** Absent if there is nothing to warn of. */
  readonly Warnings?: ComponentType;
  /** Puts the schema in force; the other keys are saved afterwards. */
  putInForce(): Promise<void>;
};

export type HomeParts = {
  /** What waits for the user, above all else. */
  readonly tasks: readonly ComponentChild[];
  /** Items of the list of what is to be done, which has the drafts, too. */
  readonly lines: readonly ComponentChild[];
  /** Lists beside the collections. */
  readonly beside: readonly ComponentChild[];
  /** Why some of it could not be read, and how it is read again. */
  readonly failed?: Failed | undefined;
};

export type Failed = { readonly error: ClientError; readonly retry: () => void };

export type Section = {
  /** The last part of its URL, if it is a page. */
  readonly name: string;
  /** Pages of administration or of stewardship, or a part of the page with the settings of a collection. */
  readonly places: readonly ('admin' | 'stewardship' | 'settings')[];
  title(): string;
  view(): Promise<ComponentType<ViewProps>>;
};

export type View = {
  /** The last part of its URL, `/<collection>/<name>`, or the last two; `/<name>` for a view below the desk. */
  readonly name: string;
  readonly below: 'collection' | 'desk';
  /** The permissions of which a view below a collection needs one; default: any. A view below the desk needs no token. */
  readonly needs?: readonly Permission[];
  /** Whether administrators see it without a permission in the collection. */
  readonly admins?: true;
  /** Its entry in the rail, of a view below a collection: for users with the permission or, if it needs none, who are signed in. */
  readonly rail?: RailEntry;
  /** The entry of the rail that is marked in a view without its own. */
  readonly entry?: string;
  /** Links to it in other views, of a view below a collection. */
  readonly link?: {
    readonly places: readonly ('admin' | 'browse' | 'stewardship' | 'submissions')[];
    readonly icon?: IconName;
    title(): string;
    /** Whether it is about the class and the filter of Browse, and has the same URL otherwise. */
    readonly carriesFilter?: true;
  };
  /** Whether it is fetched before it is gone to, if the user has the permission. */
  readonly isUsual?: boolean;
  /** Its keys in the list of keys. */
  keys?(): KeyList;
  /** Gets an empty name of the collection if it is below the desk. */
  view(): Promise<ComponentType<ViewProps>>;
};

export type RailEntry = {
  readonly icon: IconName;
  title(): string;
  /** The entry of the desk that it follows; default: all of them. */
  readonly after?: 'browse' | 'stewardship';
  /** The letter that leads there from everywhere, after `G`. */
  readonly key?: string;
  /** Views of the desk in which the entry is the current one. */
  readonly covers?: readonly 'new'[];
  count?(): RailCount;
};

export type RailCount = {
  /** Shown if it is above 0. */
  readonly n: number | undefined;
  /** Whether no more than these are counted. */
  readonly mayBeMore?: boolean;
  /** What is counted, for screen readers. */
  readonly title: string;
  /** Whether something has happened there since it was last looked at. */
  readonly isNew: boolean;
};

export type KeyList = { readonly title: string; readonly rows: readonly KeyRow[] };
/** An action, and the keys that do it. */
export type KeyRow = readonly [text: string, ...keys: string[]];

export type Panel = {
  readonly name: string;
  /**
   * Beside a curated record; below that, or above its values, if it is shown as it is now; in the heading of a record; in the form of
   * a record in the zone of the user; in the list of collections, of one whose curated records the user reads; below a release;
   * in the dialog that makes a collection public.
   */
  readonly place: 'beside' | 'actions' | 'above' | 'heading' | 'form' | 'collection' | 'release' | 'public';
  view(): Promise<ComponentType<PanelProps>>;
};
export type PanelProps = {
  readonly collection: string;
  /** The pid of the record, or the name of the release; the title of a collection. */
  readonly of: string;
};

export type BrowseTool = {
  readonly name: string;
  readonly icon: IconName;
  /** The permission that it needs besides that to browse. */
  readonly needs?: Permission;
  label(): string;
  view(): Promise<ComponentType<BrowseToolProps>>;
  /** What is shown below the buttons before one is pressed. */
  bar?(): Promise<ComponentType<BrowseBarProps>>;
};

export type BrowseBarProps = { readonly collection: string; readonly className: string };

export type BrowseToolProps = {
  readonly collection: string;
  readonly description: ClassDescription;
  /** The columns that are shown. */
  readonly slots: readonly Slot[];
  /** The widths that the user has given them, after that of the name. */
  readonly shares: readonly number[] | undefined;
  readonly onClose: () => void;
};

export type RangeChartProps = {
  readonly collection: string;
  readonly description: ClassDescription;
  readonly slot: Slot;
  /** The words and the filters of the list. */
  readonly text: string;
  readonly where: Where;
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
