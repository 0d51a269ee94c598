/** Lets in who has signed in. */
import { ServiceError } from '../../core/errors.ts';
import { presentedToken } from '../../core/http/client.ts';
import { heldCollection, needing } from '../../core/http/enter.ts';
import type {} from './codes.ts';
import { type Bearer, type SignIn, signInOf } from './sign-in.ts';

type EnteredPerson = Extract<Bearer, { kind: 'session' }> & { readonly signIn: SignIn };

/**
 * The person of a session. Personal tokens do not do: one that leaks cannot make others.
 *
 * @throws ServiceError `session_required`
 */
export const enterAsPerson = needing('person', async (call): Promise<EnteredPerson> => {
  const signIn = signInOf(call.service.registry);
  const token = presentedToken(call.request.headers);
  const bearer = token === undefined ? undefined : await signIn.bearer(token);
  if (bearer?.kind !== 'session')
    throw new ServiceError(
      'session_required',
      'The request requires the session of a person who has signed in, and has none that is valid.',
    );
  call.request.acceptedToken = token;
  return { ...bearer, signIn };
});

/** Enters the collection in the path with the session of a person whose source it accepts. @throws ServiceError `token_refused` */
export const enterCollectionAsPerson = needing('person', async (call) => {
  const collection = await heldCollection(call);
  const { person } = await enterAsPerson(call);
  await collection.authorize(presentedToken(call.request.headers));
  return { person, collection };
});

/** The sign-in of the service, for a request without a token. */
export const enterToSignIn = needing('public', (call) => call);
