/** Refuses database URLs that the driver would misread: it takes a list of hosts, as libpq has it, for the name of one. */
import pg from 'pg';
import { ServiceError } from '../../errors.ts';

/** The primary server is the only one that is used, so these say nothing else. */
const PRIMARY = ['any', 'primary', 'read-write'];

/** @throws ServiceError `config_invalid`; no message has the URL, which may have a password */
export function requireDatabaseUrl(url: string): void {
  // The driver takes any other string for a name in a host that does not exist, which would be waited for.
  if (!/^(postgres(ql)?|socket):|^\//.test(url))
    throw refused('has no scheme, expected postgresql://USER@HOST/DATABASE.');
  const { authority = '', query = '' } =
    /^postgres(?:ql)?:\/\/(?<authority>[^/?#]*)[^?#]*(?:\?(?<query>[^#]*))?/.exec(url)?.groups ?? {};
  const parameters = new URLSearchParams(query);
  const hosts = [
    authority.slice(authority.lastIndexOf('@') + 1).replace(/%2c/gi, ','),
    ...['host', 'hostaddr', 'port'].flatMap((name) => parameters.getAll(name)),
  ];
  if (hosts.some((host) => host.includes(',')))
    throw refused(
      'has a list of hosts, expected one. Name a proxy, or a virtual address that follows the primary server (docs/scaling.md).',
    );
  const sessions = parameters.get('target_session_attrs');
  if (sessions !== null && !PRIMARY.includes(sessions))
    throw refused(
      `asks for ${JSON.stringify(sessions)} in target_session_attrs, expected the primary server, which is the only one that is used. Remove the parameter.`,
    );
  try {
    new pg.Client({ connectionString: url });
  } catch (error) {
    throw refused(`cannot be read: ${(error as Error).message.replace(/\.$/, '')}.`);
  }
}

function refused(why: string): ServiceError {
  return new ServiceError('config_invalid', `The database URL ${why}`);
}
