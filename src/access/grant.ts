/** The permissions of a presented token in one collection. */
export type Grant = {
  /** The source of the token, as policies name it: `config`, or `forgejo_<instance_id>`. */
  readonly source: string;
  /** Who it is: written into submission tags and audit entries. */
  readonly userId: string;
  /** The incoming zone of the token, if it has one. After `authorize`, zone permissions imply a label. */
  readonly label: string | undefined;
  readonly permissions: Permissions;
  /** The name of the token in the configuration, for logs. */
  readonly token?: string;
  /** Whether the request has no token, so that these are the permissions of the default token. */
  readonly isDefault?: true;
};

/** The columns of the mode table (docs/configuration.md, "Modes"). */
export type Permissions = {
  readonly readCurated: boolean;
  readonly readZone: boolean;
  readonly writeZone: boolean;
  /** Writes the curated area and reads and writes every zone: CURATOR. */
  readonly curate: boolean;
};
