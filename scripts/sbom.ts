/**
 * `npm run sbom`: writes the bill of materials of the package, `sbom.cdx.json`, in the format of CycloneDX 1.5. It is made
 * from the lock file alone, so it is the same whenever that is. (`npm sbom --omit dev` leaves out packages that both the
 * service and its development need.)
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

type Locked = {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: true;
  readonly devOptional?: true;
  readonly link?: true;
};
const { name, version, packages } = JSON.parse(readFileSync(resolve(root, 'package-lock.json'), 'utf8')) as {
  name: string;
  version: string;
  packages: Record<string, Locked>;
};

const shipped = Object.entries(packages).filter(
  // The packages of the workspace are parts of this one.
  ([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !dev && !devOptional && !link,
);
const bill = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { type: 'application', 'bom-ref': `${name}@${version}`, ...named(name, version) } },
  components: shipped.map(([path, locked]) => ({
    type: 'library',
    'bom-ref': path,
    ...named(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), locked.version),
    ...(locked.license && { licenses: [{ expression: locked.license }] }),
    ...(locked.integrity && { hashes: [hashOf(locked.integrity)] }),
  })),
};
writeFileSync(resolve(root, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`);

function named(package_: string, release: string) {
  const purl = `pkg:npm/${package_.replace(/^@/, '%40')}@${release}`;
  return { name: package_, version: release, purl };
}

/** `sha512-<base64>` in the form of CycloneDX. */
function hashOf(integrity: string) {
  const [algorithm = '', digest = ''] = integrity.split('-');
  const content = Buffer.from(digest, 'base64').toString('hex');
  return { alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content };
}
