/** What the desk does for people who sign in with an identity, in place of a token: by a module, and nothing without it. */
import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Slot } from './schema.ts';
import { session } from './session.ts';

/** A button for each way to sign in. It leads out of the desk, and back to `next`. `before` is called when one is pressed. */
type WaysProps = { readonly next: string; readonly before?: () => void };
/** What a person has, in the dialog of the account. */
type AccountProps = { readonly onClose: () => void; readonly onSignedOut: () => void };
/** The view of someone who may do nothing in a collection. */
type NoAccessProps = { readonly collection: string };

/** A value of the person for a slot that is empty. */
export type OfferProps = { readonly slot: Slot; readonly onChoose: (value: string) => void };

type Actions = {
  /** Whether a token is the session of a person. */
  isSession(token: string): boolean;
  /** Ends a session at the service. */
  signOut(token: string): Promise<void>;
  /** Whether a user id may be that of someone who has signed in. */
  mayName(id: string): boolean;
  /** The name of such a user; undefined if no one with the id has signed in. */
  nameOf(collection: string, id: string): Promise<string | undefined>;
  /** Whether a slot may have a value that the source says of the person. */
  mayOffer(slot: Slot): boolean;
  /** Accepts an invitation as the person of the session: what it offers is granted to the identity. */
  accept(collection: string, secret: string): Promise<void>;
};

/** As a module has it: components are loaded when they are first shown. */
export type PeopleModule = Actions & {
  ways(): Promise<ComponentType<WaysProps>>;
  account(): Promise<ComponentType<AccountProps>>;
  noAccess(): Promise<ComponentType<NoAccessProps>>;
  offer(): Promise<ComponentType<OfferProps>>;
};

/** As views use it. */
export type PeopleParts = Actions & {
  readonly Ways: ComponentType<WaysProps>;
  readonly Account: ComponentType<AccountProps>;
  readonly NoAccess: ComponentType<NoAccessProps>;
  readonly Offer: ComponentType<OfferProps>;
};

export const People = createContext<PeopleParts | undefined>(undefined);

/** The parts for a person, if the token of this tab is a session. */
export function usePerson(): PeopleParts | undefined {
  const people = useContext(People);
  const token = session.token.value;
  return token !== undefined && people?.isSession(token) ? people : undefined;
}
