/** Settings with an issuer or a file that the service reads, and texts of this module that name no source. */
import { type Case, type Cases, ofCollections } from '../../../test/support/sources.ts';

/** Has the service ask an issuer, as a browser does that signs in. */
const signingIn =
  (changed: (source: string) => object): Case =>
  async (source, { send, collection }) => {
    const one = { type: 'oidc', name: 'institute', issuer: 'https://issuer.invalid', client_id: 'accession' };
    await send('PUT', '/collections/c', { ...collection, auth_sources: [{ ...one, ...changed(source) }] });
    await send('GET', '/-/sign-in/institute', {});
    await send('GET', '/-/sign-in/institute/callback?code=a&state=a', {});
    await send('PUT', '/collections/c', collection);
  };

export const cases: Cases = ofCollections({
  'auth_sources[].issuer': signingIn((issuer) => ({ issuer })),
  'auth_sources[].client_secret_file': signingIn((client_secret_file) => ({ client_secret_file })),
});

const ofSources = ['client_id', 'client_secret', 'scopes[]', 'audiences[]'];
const claims = ['user_id_claim', 'groups_claim', 'orcid_claim'];
export const texts = [
  ...Object.keys(
    ofCollections(
      Object.fromEntries([...ofSources, ...claims].map((key) => [`auth_sources[].${key}`, true])),
    ),
  ),
  'PUT /-/{collection}/grants source',
  'PUT /-/{collection}/grants subject',
  'PUT /-/people/block source',
  'PUT /-/people/block subject',
  'POST /-/{collection}/access-requests message',
  'POST /-/{collection}/invitations/accept-signed-in secret',
  'POST /-/{collection}/user-names users[]',
];
