/** Where compiled code is kept for the next start. Plain JavaScript, like the command that uses it. */
import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Has Node keep what it compiles in the first folder that this user alone can write to: another user who can write
 * there would decide what the program does. Without such a folder, every start compiles again. With NODE_COMPILE_CACHE,
 * Node itself keeps it in the folder that this names; NODE_DISABLE_COMPILE_CACHE=1 keeps nothing.
 */
export function keepCompiledCode() {
  const { NODE_COMPILE_CACHE, CACHE_DIRECTORY, XDG_CACHE_HOME } = process.env;
  if (NODE_COMPILE_CACHE) return;
  const folders = [
    // Of a system service with `CacheDirectory=`.
    CACHE_DIRECTORY,
    // In a checkout, and in an installation of the user.
    fileURLToPath(new URL('../node_modules/.cache/accession', import.meta.url)),
    join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'accession'),
  ];
  const folder = folders.find((path) => path && isOurs(path));
  if (!folder) return;
  module.enableCompileCache(folder);
  // Threads look here for it: without, each compiles everything again, and keeps 30 MB of compiler in a checkout.
  process.env.NODE_COMPILE_CACHE = folder;
}

/** Whether a folder, made if it is missing, belongs to this user and no other one can write to it. */
function isOurs(path) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK);
    if (process.platform === 'win32') return true;
    const { uid, mode } = lstatSync(path);
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}
