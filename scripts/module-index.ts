/** `npm run docs:modules`: writes the list of the pages of modules into `docs/README.md`, from their first lines. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const INDEX = join(root, 'docs/README.md');
const SECTION = /(<!-- modules: [^>]*-->\n)[\s\S]*?(<!-- end of modules -->)/;

/** The index with its list of modules. */
export function indexWithModules(): string {
  const lines = globSync('src/modules/*/README.md', { cwd: root })
    .sort()
    .map((page) => {
      const [title = ''] = readFileSync(join(root, page), 'utf8').split('\n', 1);
      return `- [${title.replace(/^# /, '')}](../${page})\n`;
    });
  return readFileSync(INDEX, 'utf8').replace(
    SECTION,
    (_, start, end) => `${start}\n${lines.join('')}\n${end}`,
  );
}

if (process.argv[1] === import.meta.filename) writeFileSync(INDEX, indexWithModules());
