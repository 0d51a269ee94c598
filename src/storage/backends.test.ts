/** Holds every backend, with every mapping method, to the contract of stores. */
import { after, before } from 'node:test';
import { startPostgresql, type TestServer } from '../../test/support/postgresql.ts';
import { BACKENDS, type BackendConfig, type BackendType, openStore } from './backends.ts';
import { expand, schemaTypeOf } from './contract/subject.ts';
import { SILENT_LOG } from './log.ts';
import { openPostgresql } from './postgresql/database.ts';
import { type PostgresqlStores, postgresqlStores } from './postgresql/stores.ts';
import { MAPPING_METHODS } from './record-dir/file-names.ts';
import { storeContract } from './store.contract.ts';
import { StoreHandles } from './store-handles.ts';

let server: TestServer;
let postgresql: PostgresqlStores;
before(async () => {
  server = await startPostgresql();
  postgresql = postgresqlStores(
    await openPostgresql(await server.createDatabase(), { log: SILENT_LOG }),
    '/',
  );
});
after(async () => {
  await postgresql.database.close();
  await server.close();
});

const configs: BackendConfig[] = (Object.keys(BACKENDS) as BackendType[]).flatMap((type) =>
  type === 'record_dir' || type === 'record_dir+stl'
    ? MAPPING_METHODS.map((mapping_method): BackendConfig => ({ type, mapping_method }))
    : [{ type }],
);

const handles = new StoreHandles();

for (const config of configs) {
  const { type } = config;
  storeContract({
    name: 'mapping_method' in config ? `${type} ${config.mapping_method}` : type,
    matching: BACKENDS[type].traits.matching,
    // The mapping methods differ in file names only, and files take time.
    many: !type.startsWith('record_dir') ? 3000 : config === configs[0] ? 240 : 60,
    open: (directory) =>
      openStore(config, directory, {
        schema: 'https://example.org/schema',
        expand,
        schemaTypeOf,
        postgresql,
        handles,
      }),
  });
}
