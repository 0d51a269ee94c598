/** Keeps requests of the service from hosts on its machine or in a private network, unless the operator allows them. */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Why no request is sent, or its response is not used, as a clause. */
export class RequestRefusal extends Error {}

/** "This host", loopback, private, link-local, shared, benchmark, multicast and reserved addresses (RFC 6890). */
const OWN_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
];
/**
 * The IPv6 counterparts of these addresses, and addresses that contain one of IPv4 and that no public host has: IPv4-compatible and
 * IPv4-mapped ones, 6to4, Teredo, local-use translation.
 */
const OWN_IPV6 = [
  '::/96',
  '::ffff:0:0:0/96',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  '2002::/16',
  '2001::/32',
  '64:ff9b:1::/48',
];
/** Networks without IPv4 reach its hosts by this prefix with the address behind it (RFC 6052). */
const TRANSLATED = '64:ff9b::';

/** Lists subnets. Those of IPv4 have IPv6 addresses, too: `::ffff:` and the address is the same to a list. */
function listed(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', length] = subnet.split('/');
    const bits = Number(length);
    if (isIP(address) === 6) list.addSubnet(address, bits, 'ipv6');
    else {
      list.addSubnet(address, bits, 'ipv4');
      list.addSubnet(TRANSLATED + address, 96 + bits, 'ipv6');
    }
  }
  return list;
}

const OWN = listed([...OWN_IPV4, ...OWN_IPV6]);

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

function isOwn(given: string): boolean {
  // The zone of a link-local address is not a part of it.
  const address = given.replace(/%.*/s, '');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (OWN.check(address, family)) return true;
  // A machine may have public addresses, too, and they change while a service runs.
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const subnets = own.map((one) => `${one.address}/${one.family === 'IPv6' ? 128 : 32}`);
  return listed(subnets).check(address, family);
}

function refusal(name: string): RequestRefusal {
  return new RequestRefusal(
    `the host ${name} is on the same machine or in a private network, which the operator has to allow with --schema-hosts ${name}`,
  );
}
