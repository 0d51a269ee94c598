/** Returns the names that people read, by user id; ids without one are left out. A module knows them. */
export type UserNames = (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export const NO_NAMES: UserNames = async () => new Map();
