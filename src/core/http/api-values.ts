/** Values of the API that the desk shares with the endpoints. They are in a file without imports, since the desk is bundled from it. */

/** The most titles in one request. */
export const MOST_TITLES = 500;
