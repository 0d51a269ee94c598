/** The file and the host that the service reads for mail, and texts of this module that name no source. */
import { type Case, type Cases, ofCollections } from '../../../test/support/sources.ts';

/** Has the service send mail, if the configuration is taken. */
const mailing =
  (changed: (source: string) => object): Case =>
  async (source, { send, collection }) => {
    const smtp = { host: '127.0.0.1', port: 9, from: 'a@example.org', url: 'https://example.org' };
    await send('PUT', '/collections/c', { ...collection, smtp: { ...smtp, ...changed(source) } });
    await send('GET', '/-/status', {});
    await send('PUT', '/collections/c', collection);
  };

export const cases: Cases = ofCollections({
  'smtp.password_file': mailing((password_file) => ({ password_file })),
  'smtp.host': mailing((host) => ({ host })),
});

export const texts = [
  ...Object.keys(
    ofCollections(Object.fromEntries(['user', 'password', 'digest_at'].map((key) => [`smtp.${key}`, true]))),
  ),
  'PUT /-/{collection}/inbox/mail address',
];
