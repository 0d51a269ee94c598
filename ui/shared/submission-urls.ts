/** Where submissions are shown: by a module, so that views of the desk lead there if it is present. */
import { createContext } from 'preact';

export type SubmissionUrls = {
  /** The title of the submissions of the user. */
  title(): string;
  /** The submissions of the user; of one batch. */
  own(collection: string, batch?: string): string;
  /** A submission for curators. */
  inZone(collection: string, label: string, pid: string): string;
};

export const Submissions = createContext<SubmissionUrls | undefined>(undefined);
