/** Holds every backend, with every mapping method, to the contract of stores. */
import { BACKENDS, type BackendConfig, type BackendType, openStore } from './backends.ts';
import { expand, schemaTypeOf } from './contract/subject.ts';
import { MAPPING_METHODS } from './record-dir/file-names.ts';
import { storeContract } from './store.contract.ts';
import { StoreHandles } from './store-handles.ts';

const configs: BackendConfig[] = (Object.keys(BACKENDS) as BackendType[]).flatMap((type) =>
  type === 'record_dir' || type === 'record_dir+stl'
    ? MAPPING_METHODS.map((mapping_method): BackendConfig => ({ type, mapping_method }))
    : [{ type }],
);

const handles = new StoreHandles();

for (const config of configs) {
  storeContract({
    name: 'mapping_method' in config ? `${config.type} ${config.mapping_method}` : config.type,
    matching: BACKENDS[config.type].traits.matching,
    // The mapping methods differ in file names only, and files take time.
    many: config.type.startsWith('sqlite') ? 3000 : config === configs[0] ? 240 : 60,
    open: (directory) =>
      openStore(config, directory, { schema: 'https://example.org/schema', expand, schemaTypeOf, handles }),
  });
}
