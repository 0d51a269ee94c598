/** What a validation finds, in the formats of people and programs. */
import type { Location } from '../../yaml/locate.ts';

/** One problem, with its location. */
export type Finding = Location & {
  readonly file: string;
  readonly pid?: string;
  /** JSON Pointer to the value within the record. */
  readonly path: string;
  /** The kind of problem, as in responses of the service. */
  readonly type: string;
  readonly message: string;
};

export type FindingFormat = 'people' | 'json' | 'github' | 'sarif';

/** The report of all findings. */
export const FINDING_FORMATS: Readonly<
  Record<FindingFormat, (findings: readonly Finding[], version: string) => string>
> = {
  people: (findings) =>
    findings.map((one) => `${one.file}:${one.line}:${one.column}: ${one.message}\n`).join(''),
  json: (findings) => findings.map((one) => `${JSON.stringify(one)}\n`).join(''),
  github: (findings) =>
    findings
      .map(({ file, line, column, type, message }) => {
        const where = `file=${property(file)},line=${line},col=${column},title=${property(type)}`;
        return `::error ${where}::${escapedText(message)}\n`;
      })
      .join(''),
  sarif: (findings, version) => `${JSON.stringify(sarif(findings, version), undefined, 2)}\n`,
};

function escapedText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** SARIF 2.1.0 (OASIS), as code scanning of forges reads it. */
function sarif(findings: readonly Finding[], version: string): object {
  const rules = [...new Set(findings.map(({ type }) => type))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'accession', version, rules: rules.map((id) => ({ id })) } },
        results: findings.map(({ file, line, column, type, message }) => ({
          ruleId: type,
          level: 'error',
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: {
                  uri: file.split('\\').join('/').split('/').map(encodeURIComponent).join('/'),
                },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
        })),
      },
    ],
  };
}
