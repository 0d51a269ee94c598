/** The documents of OAI-PMH 2.0 (https://www.openarchives.org/OAI/openarchivesprotocol.html). */
import { element, Html, schemaAt } from '../../../core/formats/html.ts';
import { METADATA_FORMATS, METADATA_PREFIXES, type MetadataPrefix } from './metadata-formats.ts';

const OAI = 'http://www.openarchives.org/OAI/2.0/';

/** Which of the errors of the protocol (3.6). */
type OaiCode =
  | 'badArgument'
  | 'badResumptionToken'
  | 'badVerb'
  | 'cannotDisseminateFormat'
  | 'idDoesNotExist'
  | 'noRecordsMatch';

/** A refusal in the words of the protocol: a document with an error, and status 200. */
export class OaiError extends Error {
  readonly code: OaiCode;

  constructor(code: OaiCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A change of a record, as a header has it (2.5). */
export type OaiHeader = {
  readonly identifier: string;
  readonly datestamp: string;
  readonly sets: readonly string[];
  readonly isDeleted: boolean;
};

/** A document. @param request the arguments; without any if they are wrong */
export function oaiDocument(
  base: string,
  time: Date,
  request: Readonly<Record<string, string>>,
  content: Html,
): string {
  const root = element(
    'OAI-PMH',
    [element('responseDate', dateOf(time.toISOString())), element('request', base, request), content],
    { xmlns: OAI, ...schemaAt(OAI, `${OAI}OAI-PMH.xsd`) },
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.text}\n`;
}

/** A time in seconds. */
export const dateOf = (time: string) => `${time.slice(0, 19)}Z`;

export function errorElement({ code, message }: OaiError): Html {
  return element('error', message, { code });
}

export function headerElement({ identifier, datestamp, sets, isDeleted }: OaiHeader): Html {
  return element(
    'header',
    [
      element('identifier', identifier),
      element('datestamp', datestamp),
      ...sets.map((set) => element('setSpec', set)),
    ],
    { status: isDeleted ? 'deleted' : undefined },
  );
}

/** A record with its metadata; undefined for a deleted one. */
export function recordElement(header: OaiHeader, metadata: string | undefined): Html {
  const content = metadata === undefined ? [] : [element('metadata', new Html(metadata))];
  return element('record', [headerElement(header), ...content]);
}

function formatElement(prefix: MetadataPrefix): Html {
  const { schema, namespace } = METADATA_FORMATS[prefix];
  return element('metadataFormat', [
    element('metadataPrefix', prefix),
    element('schema', schema),
    element('metadataNamespace', namespace),
  ]);
}

export const formatElements = (prefixes: readonly MetadataPrefix[] = METADATA_PREFIXES) =>
  element('ListMetadataFormats', prefixes.map(formatElement));
