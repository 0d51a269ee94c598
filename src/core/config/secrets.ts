/**
 * The keys of the configuration whose values are secrets, or hashes of secrets: no history, difference or error repeats them. Modules
 * that have further ones name them alike.
 */
export const SECRET_KEYS: readonly string[] = ['representation', 'client_secret'];
