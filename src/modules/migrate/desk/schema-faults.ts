/** What the service says about a schema, at the lines of its text. */

/** A fault, and the other messages about the same word: what a class has wrong, those below it have, too. */
export type SchemaFault = {
  readonly message: string;
  /** From 1; undefined if the text does not show where. */
  readonly line: number | undefined;
  /** How many more messages there are about the same. */
  readonly more: number;
};

const POSITION = /\bline (\d+), column \d+/;
/** A name in a message follows the word for what it is. */
const NAMED =
  /\b(?:slots?|range|inherits from|class|enum|type|prefix|mixin|subset|value|pattern|import) '?([\w./:-]*\w)/g;

/** Looks up each message in the text: by the line that it names, else by the rarest of the names that it has. */
export function schemaFaults(text: string, messages: readonly string[]): SchemaFault[] {
  const lines = text.split('\n').map((line) => line.replace(/(^|\s)#.*$/, ''));
  const found = new Map<string, { message: string; line: number | undefined; more: number }>();
  for (const message of messages) {
    const position = POSITION.exec(message)?.[1];
    const word = position === undefined ? rarestName(lines, message) : undefined;
    const line = position === undefined ? word?.line : Number(position);
    const key = word?.name ?? message;
    const known = found.get(key);
    if (known) known.more++;
    else found.set(key, { message, line, more: 0 });
  }
  return [...found.values()];
}

/** The first line with the name that occurs least, of several the last one: it is misspelt, not those around it. */
function rarestName(
  lines: readonly string[],
  message: string,
): { readonly name: string; readonly line: number } | undefined {
  const [said = ''] = message.split(', which');
  const names = new Set([...said.matchAll(NAMED)].map(([, name = '']) => name).toReversed());
  const places = [...names].flatMap((name) => {
    const word = new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`);
    const at = lines.flatMap((line, index) => (word.test(line) ? [index + 1] : []));
    return at.length > 0 ? [{ name, line: at[0]!, count: at.length }] : [];
  });
  return places.sort((a, b) => a.count - b.count)[0];
}
