/** Writes the findings of a validation in the formats of people and programs. */
import type { Location } from './locate.ts';

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

export type FindingFormat = 'people' | 'json' | 'github';

export const FINDING_FORMATS: Readonly<Record<FindingFormat, (findings: readonly Finding[]) => string>> = {
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
};

function escapedText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
