/** What is wrong with the syntax of a YAML document, in the words of people who write YAML rather than parsers. */
import type { ErrorCode, YAMLParseError } from 'yaml';

/** The rest of a sentence, without the position. */
export function explainSyntax({ code, message }: YAMLParseError): string {
  const first = message.split('\n')[0] ?? '';
  return (
    SENTENCES.find(([pattern]) => pattern.test(first))?.[1] ?? BY_CODE[code] ?? 'the syntax is wrong here'
  );
}

/** The messages of the parser that say more than their code. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^Missing closing/, 'a string in quotes has no closing quote'],
  [
    /end with a \]|expected .*flow.seq.* end with \]/i,
    "a list that starts with '[' has no ']' where it has to end",
  ],
  [
    /end with a \}|expected .*flow.map.* end with \}/i,
    "a mapping that starts with '{' has no '}' where it has to end",
  ],
  [/^Missing ,/, 'expected a comma between two values in brackets'],
  [/^Missing space after :/, 'expected a space after the colon'],
  [/^Comments must/, "expected a space before '#'"],
  [/^Implicit map keys need/, 'expected a colon after a key'],
  [/^Sequence item without -/, "expected '-' before an item of the list"],
  [/directives-end/, "expected '---' after the lines that start with '%'"],
  [/^Tags and anchors/, 'expected a space after a tag or an anchor'],
  [/reserved character/, "a value that starts with '@' or '`' has to be in quotes"],
  [/^Unexpected , in|^Unexpected empty item/, 'a comma has no value before it'],
  [/^Unsupported YAML version/, 'the version of YAML is not supported, expected 1.1 or 1.2'],
  [/^All mapping items|^All sequence items/, 'the indentation differs from that of the lines it belongs to'],
];

const BY_CODE: Partial<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias cannot have a tag or an anchor',
  BAD_ALIAS: "expected a name after '*' or '&'",
  BAD_COLLECTION_TYPE: 'the tag does not fit the value',
  BAD_DIRECTIVE: "the line that starts with '%' is not a directive of YAML",
  BAD_DQ_ESCAPE: "the string in double quotes has an unknown escape; write '\\\\' for a backslash",
  BAD_INDENT: 'the indentation does not fit the lines before',
  BAD_PROP_ORDER: 'a tag or an anchor is in the wrong position',
  BAD_SCALAR_START: 'a value that starts with this character has to be in quotes',
  BLOCK_AS_IMPLICIT_KEY: "a second ': ' is on one line; put the value in quotes if it contains a colon",
  BLOCK_IN_FLOW: 'lines with indentation are not allowed in brackets',
  KEY_OVER_1024_CHARS: 'a key is longer than 1,024 characters',
  MISSING_CHAR: 'a character is missing here',
  MULTILINE_IMPLICIT_KEY: 'a key, or the colon after it, is missing, or a value goes on without indentation',
  MULTIPLE_ANCHORS: 'a value has two anchors',
  MULTIPLE_TAGS: 'a value has two tags',
  RESOURCE_EXHAUSTION: 'the values are nested too deeply',
  TAB_AS_INDENT: 'a tab is used as indentation; use spaces',
  TAG_RESOLVE_FAILED: 'the tag is unknown',
  UNEXPECTED_TOKEN: 'unexpected text; check the quotes, commas and indentation before it',
};
