/**
 * Where the first configuration of a store comes from (specification 9, release 6.1.0): the file that the command line
 * names, else the default file in the store, else nothing. A store that has a configuration asks for none of them.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonValue } from '#linkml/json.ts';
import { readYaml, YamlError } from '#linkml/yaml/read.ts';
import { isServiceError, ServiceError } from '../errors.ts';
import { tokenHash } from './admin-token.ts';
import {
  type Configuration,
  type ConfigurationKeys,
  type ConfigurationSchemas,
  EMPTY_CONFIGURATION,
} from './config.ts';
import { checkPlaces } from './edit-collections.ts';
import { parseConfigurationFile } from './parse.ts';
import { confine, labelProblem } from './paths.ts';

/** The default configuration file in the store, and the description of a record directory. */
const FILE_NAME = '.dumpthings.yaml';

type StartOptions = {
  /** The store directory. */
  readonly root: string;
  readonly schemas: ConfigurationSchemas;
  /** The file of `-c`. */
  readonly configFile?: string;
  readonly ignoreDefaultConfigFile?: boolean;
};

/**
 * The configuration that a store starts with. It obeys the rules that administration requests obey: paths stay below
 * the store, labels are plain names. Collections may have any names, as with the peer.
 *
 * @throws ServiceError `config_invalid`; its message starts with the path of the file
 */
export function initialConfiguration({
  root,
  schemas,
  configFile,
  ignoreDefaultConfigFile,
}: StartOptions): Configuration {
  const file = configFile ?? (ignoreDefaultConfigFile ? undefined : defaultFile(root));
  if (file === undefined) return EMPTY_CONFIGURATION;
  const text = readFile(file);
  try {
    const configuration = parseConfigurationFile(text, schemas, (curated) => describeArea(root, curated));
    checkRules(configuration, root, schemas.keys);
    return configuration;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError('config_invalid', `${file}: ${error.message}`, error.problems, { cause: error });
  }
}

function defaultFile(root: string): string | undefined {
  const file = join(root, FILE_NAME);
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}

function checkRules(
  { collections, tokens, admin_tokens }: Configuration,
  root: string,
  keys: ConfigurationKeys,
): void {
  for (const [name, collection] of Object.entries(collections)) {
    within(`collections.${name}`, () => checkPlaces(collection, root, keys));
  }
  for (const [name, token] of Object.entries(tokens)) {
    for (const [collection, { incoming_label }] of Object.entries(token.collections)) {
      const problem = incoming_label === '' ? undefined : labelProblem(incoming_label);
      if (!problem) continue;
      const where = `tokens.${name}.collections.${collection}.incoming_label`;
      throw new ServiceError('config_invalid', `${where}: ${JSON.stringify(incoming_label)} ${problem}`);
    }
    if (token.hashed) tokenHash(token.representation, `tokens.${name}.representation`);
  }
  for (const [name, { representation }] of Object.entries(admin_tokens)) {
    tokenHash(representation, `admin_tokens.${name}.representation`);
  }
}

/** Puts the path of the key before the message of an error. */
function within(path: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new ServiceError(error.code, `${path}: ${error.message}`, error.problems, { cause: error });
  }
}

/** Reads the `.dumpthings.yaml` of a curated area, which version 1 keeps the schema in. */
function describeArea(root: string, curated: string): { schema: string; mapping_method: string } {
  const file = join(confine(root, curated, 'curated-path'), FILE_NAME);
  const description = parseDescription(file);
  const { schema, idfx } = isJsonObject(description) ? description : {};
  if (typeof schema !== 'string' || typeof idfx !== 'string') {
    throw new ServiceError('config_invalid', `${file}: expected the keys schema and idfx, both strings.`);
  }
  return { schema, mapping_method: idfx };
}

function parseDescription(file: string): JsonValue {
  const text = readFile(file);
  try {
    return readYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ServiceError('config_invalid', `${file}: ${error.message}`, [], { cause: error });
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message;
    throw new ServiceError('config_invalid', `${file} cannot be read: ${why}`);
  }
}
