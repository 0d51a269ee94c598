/** Holds that no files import each other in a circle, imports of types included. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

/** The form is recursive: an object has fields, a field has controls, and a control of an object is a form. */
const RECURSIVE = 'ui/form/';

test('no files import each other in a circle', () => {
  const files = globSync('{packages/*/src,src,ui,scripts,bench}/**/*.{ts,tsx}').sort();
  const imports = new Map(files.map((file) => [file, importsOf(file, new Set(files))]));
  const circles = circlesIn(imports).filter((circle) => !circle.every((file) => file.startsWith(RECURSIVE)));
  assert.deepEqual(circles, []);
});

/** The files that a file imports. */
function importsOf(file: string, files: ReadonlySet<string>): string[] {
  const text = readFileSync(file, 'utf8').replace(/^\s*\/\/.*$/gm, '');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => files.has(path));
}

/** The groups of files that reach each other by imports (Tarjan's strongly connected components). */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    let low = order.size;
    order.set(file, low);
    open.push(file);
    for (const target of imports.get(file)!) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, order.get(target)!);
    }
    if (low === order.get(file)) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1 || imports.get(file)!.includes(file)) circles.push(circle.sort());
    }
    return low;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles;
}
