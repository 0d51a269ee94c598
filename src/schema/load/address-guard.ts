/** Keeps requests of the service from hosts on its machine or in a private network, unless the operator allows them. */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Why no request is sent, or its response is not used, as a clause. */
export class RequestRefusal extends Error {}

/** Loopback, "this host", link-local and private addresses. */
const OWN = new BlockList();
OWN.addSubnet('127.0.0.0', 8);
OWN.addSubnet('0.0.0.0', 8);
OWN.addSubnet('169.254.0.0', 16);
OWN.addSubnet('10.0.0.0', 8);
OWN.addSubnet('172.16.0.0', 12);
OWN.addSubnet('192.168.0.0', 16);
OWN.addSubnet('100.64.0.0', 10);
OWN.addSubnet('::', 127, 'ipv6');
OWN.addSubnet('fe80::', 10, 'ipv6');
OWN.addSubnet('fc00::', 7, 'ipv6');

/**
 * The options of a request that may not reach such an address. A name is judged by what it resolves to, at the moment of the
 * connection.
 *
 * @param hosts the hosts that may have such an address, as in URLs; undefined lets all
 * @throws RequestRefusal if the URL itself has one
 */
export function addressGuard(url: URL, hosts: readonly string[] | undefined): { lookup?: LookupFunction } {
  const name = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (hosts === undefined || hosts.includes(name)) return {};
  if (isIP(name) !== 0 && isOwn(name)) throw refusal(name);
  return { lookup: guarded };
}

const guarded: LookupFunction = (name, options, done) => {
  lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, []);
    if (addresses.some(({ address }) => isOwn(address))) return done(refusal(name), []);
    const [first] = addresses as [LookupAddress];
    return options.all ? done(null, addresses) : done(null, first.address, first.family);
  });
};

function isOwn(address: string): boolean {
  // A machine may have public addresses, too, and they change while a service runs.
  const own = Object.values(networkInterfaces()).flat();
  return (
    own.some((one) => one?.address === address) || OWN.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  );
}

function refusal(name: string): RequestRefusal {
  return new RequestRefusal(
    `the host ${name} is on the same machine or in a private network, which the operator has to allow with --schema-hosts ${name}`,
  );
}
