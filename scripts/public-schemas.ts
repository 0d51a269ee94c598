/**
 * Checks the examples of public schemas, which their repositories call valid or invalid:
 *
 *     npm run public-schemas -- [CHECKOUTS]
 *
 * CHECKOUTS (default: a folder in the temporary directory) is where the repositories are cloned, unless they are there. The
 * class of a record is the start of its file's name. Identifiers may be any strings. In valid examples values are converted, as the
 * loaders of LinkML do, and invalid ones are checked strictly, as its validator does. Each example with another verdict is listed:
 * with its reason, or with the first problem that the check reports; then the program ends with status 1.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readYaml } from '#linkml/yaml/read.ts';
import { openSchema, type Schema } from '../src/core/schema/schema.ts';
import { checkoutOf, checkoutsFolder } from '../test/support/checkouts.ts';

type Repository = {
  readonly name: string;
  readonly schema: string;
  /** The folders of examples. */
  readonly valid: string;
  readonly invalid?: string;
};

const REPOSITORIES: readonly Repository[] = [
  {
    name: 'microbiomedata/nmdc-schema',
    schema: 'src/schema/nmdc.yaml',
    valid: 'src/data/valid',
    invalid: 'src/data/invalid',
  },
  { name: 'chemkg/chemrof', schema: 'src/chemrof/schema/chemrof.yaml', valid: 'src/data/examples/valid' },
  {
    name: 'GenomicsStandardsConsortium/mixs',
    schema: 'src/mixs/schema/mixs.yaml',
    valid: 'src/data/examples/valid',
    invalid: 'src/data/examples/invalid',
  },
  {
    name: 'biolink/biolink-model',
    schema: 'biolink-model.yaml',
    valid: 'src/data/examples/valid',
    invalid: 'src/data/examples/invalid',
  },
  {
    name: 'bridge2ai/data-sheets-schema',
    schema: 'src/data_sheets_schema/schema/data_sheets_schema.yaml',
    valid: 'src/data/examples/valid',
    invalid: 'src/data/examples/invalid',
  },
  {
    name: 'lambda-ber/lambda-ber-schema',
    schema: 'src/lambda_ber_schema/schema/lambda_ber_schema.yaml',
    valid: 'tests/data/valid',
  },
  { name: 'geneontology/gocam-py', schema: 'src/gocam/schema/gocam.yaml', valid: 'src/data/examples' },
];

const NOT_INTERPOLATED =
  'refused by linkml-validate 1.12.1, too: a structured pattern without `interpolated: true`';
const DATE = 'to PyYAML a date without quotes is not a string, and here it is';

/** Examples whose repository is wrong, or that are read in another way by decision. */
const REASONS: Readonly<Record<string, string>> = {
  'ChromatographicSeparationProcess-SPE.yaml': NOT_INTERPOLATED,
  'Database-NOM-material-processing.yaml': NOT_INTERPOLATED,
  'Database-interleaved.yaml': NOT_INTERPOLATED,
  'Database-mass_spectrometry_gc.yaml': NOT_INTERPOLATED,
  'MixingProcess-minimal.yaml': NOT_INTERPOLATED,
  'MixsCompliantData-MimarksCMisipSoil-example.yaml': NOT_INTERPOLATED,
  'MixsCompliantData-MimsMisipSoil-example.yaml': NOT_INTERPOLATED,
  'MixsCompliantData-MimsMisipSoil-reference-patterns.yaml': NOT_INTERPOLATED,
  'Database-plannedprocess-non-string-end_datet.yaml': DATE,
  'NomAnalysis-non-string-ended_at_time.yaml': DATE,
};

const folder = checkoutsFolder(process.argv[2]);
for (const { name, schema: path, valid, invalid } of REPOSITORIES) {
  const checkout = checkoutOf(name, folder);
  const start = process.cpuUsage();
  const schema = await openSchema(join(checkout, path));
  const { user, system } = process.cpuUsage(start);
  const others = [
    ...verdicts(schema, join(checkout, valid), true),
    ...(invalid === undefined ? [] : verdicts(schema, join(checkout, invalid), false)),
  ];
  const differing = others.filter(({ isAsExpected }) => !isAsExpected);
  console.log(
    `${name}: ${schema.classes.size} classes, opened in ${Math.round((user + system) / 1000)} ms; ${others.length - differing.length} of ${others.length} examples as their repository says`,
  );
  for (const { file, says } of differing) {
    const reason = REASONS[file];
    if (reason === undefined) process.exitCode = 1;
    console.log(`  ${file}: ${reason ?? says}`);
  }
}

type Judged = { readonly file: string; readonly isAsExpected: boolean; readonly says: string };

function verdicts(schema: Schema, examples: string, isValid: boolean): Judged[] {
  return readdirSync(examples)
    .filter((file) => /^[A-Z].*\.(ya?ml|json)$/.test(file))
    .sort()
    .map((file) => {
      const problem = problemOf(schema, join(examples, file), /^\w+/.exec(file)![0], !isValid);
      return { file, isAsExpected: (problem === undefined) === isValid, says: problem ?? 'accepted' };
    });
}

/** The first problem of a record, or why it cannot be read; undefined if it is valid. */
function problemOf(schema: Schema, file: string, className: string, strict: boolean): string | undefined {
  try {
    const record = readYaml(readFileSync(file, 'utf8'));
    const checked = schema.check(className, record, { identifiers: 'any', strict });
    return checked.valid ? undefined : `${checked.problems[0]!.loc.join('.')}: ${checked.problems[0]!.msg}`;
  } catch (error) {
    return (error as Error).message;
  }
}
