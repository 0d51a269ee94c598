/**
 * `npm run sbom`: writes the bill of materials of the package, `sbom.cdx.json`, in the format of CycloneDX. It is the same
 * for the same lock file: without a time and without a random serial number.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const read = (file: string) => JSON.parse(readFileSync(resolve(root, file), 'utf8'));
const { name } = read('package.json') as { name: string };
const { packages } = read('package-lock.json') as {
  packages: Record<string, { dev?: true; devOptional?: true }>;
};

type Component = {
  readonly 'bom-ref': string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
};

const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
  cwd: root,
  encoding: 'utf8',
});
const { serialNumber: _, metadata, components, dependencies, ...bill } = JSON.parse(text);
const { timestamp: __, ...described } = metadata;
// npm takes the name from the directory.
described.component.name = name;
// With `--omit dev`, npm leaves out packages that both the service and its development need.
const shipped = (components as Component[]).filter(isShipped);
const refs = new Set([described.component['bom-ref'], ...shipped.map((component) => component['bom-ref'])]);
const edges = (dependencies as { ref: string; dependsOn: string[] }[])
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
const written = { ...bill, metadata: described, components: shipped, dependencies: edges };
writeFileSync(resolve(root, 'sbom.cdx.json'), `${JSON.stringify(written, undefined, 2)}\n`);

function isShipped({ properties }: Component): boolean {
  const path = properties.find(({ name }) => name === 'cdx:npm:package:path')?.value;
  const locked = path === undefined ? undefined : packages[path];
  return locked !== undefined && !locked.dev && !locked.devOptional;
}
