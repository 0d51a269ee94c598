/** The grammar of `equals_expression`: Python's precedence, compiled to closures. */
import { FUNCTIONS, type Node, NoValue, OPERATORS, truth } from './operations.ts';

const TOKEN =
  /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\{([^{}]+)\}|([\p{L}_][\p{L}\p{N}_]*)|(\*\*|\/\/|==|!=|<=|>=|[-+*/%<>(),[\]]))/uy;

type Token = { readonly kind: 'number' | 'text' | 'slot' | 'word' | 'sign' | 'end'; readonly text: string };

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  const text = source.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new SyntaxError(`has a syntax error at "${text.slice(at, at + 20)}"`);
    const [, number, quoted, slot, word, sign] = found;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (quoted !== undefined)
      tokens.push({ kind: 'text', text: quoted.slice(1, -1).replace(/\\(.)/g, '$1') });
    else if (slot !== undefined) tokens.push({ kind: 'slot', text: slot.trim() });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else tokens.push({ kind: 'sign', text: sign! });
  }
  return [...tokens, { kind: 'end', text: 'the end' }];
}

/** From the weakest binding to the strongest. */
const PRECEDENCE: readonly (readonly string[])[] = [
  ['==', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '//', '%'],
];

/** @throws SyntaxError */
export function parseExpression(source: string): Node {
  const parser = new Parser(tokensOf(source));
  return parser.whole();
}

/** One walk over the tokens; expressions nested deeper than 100 are none. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Node {
    const node = this.#choice();
    if (this.#token.kind !== 'end') throw new SyntaxError(`has an unexpected ${this.#token.text}`);
    return node;
  }

  get #token(): Token {
    return this.#tokens[this.#at]!;
  }

  #take(text: string): boolean {
    const token = this.#token;
    if ((token.kind !== 'sign' && token.kind !== 'word') || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new SyntaxError(`has ${this.#token.text} instead of ${text}`);
  }

  /** `a if condition else b` */
  #choice(): Node {
    if (++this.#depth > 100) throw new SyntaxError('is nested too deeply');
    const value = this.#or();
    this.#depth--;
    if (!this.#take('if')) return value;
    const condition = this.#or();
    this.#expect('else');
    const otherwise = this.#choice();
    return (scope) => (truth(condition(scope)) ? value(scope) : otherwise(scope));
  }

  #or(): Node {
    let left = this.#and();
    while (this.#take('or')) {
      const [a, b] = [left, this.#and()];
      left = (scope) => truth(a(scope)) || truth(b(scope));
    }
    return left;
  }

  #and(): Node {
    let left = this.#not();
    while (this.#take('and')) {
      const [a, b] = [left, this.#not()];
      left = (scope) => truth(a(scope)) && truth(b(scope));
    }
    return left;
  }

  #not(): Node {
    if (!this.#take('not')) return this.#binary(0);
    const value = this.#not();
    return (scope) => !truth(value(scope));
  }

  #binary(level: number): Node {
    const operators = PRECEDENCE[level];
    if (!operators) return this.#sign();
    let left = this.#binary(level + 1);
    for (
      let token = this.#token;
      token.kind === 'sign' && operators.includes(token.text);
      token = this.#token
    ) {
      this.#at++;
      const operate = OPERATORS[token.text]!;
      const [a, b] = [left, this.#binary(level + 1)];
      left = (scope) => operate(a(scope), b(scope));
    }
    return left;
  }

  #sign(): Node {
    if (this.#take('+')) return this.#sign();
    if (!this.#take('-')) return this.#power();
    const value = this.#sign();
    return (scope) => OPERATORS['-']!(0, value(scope));
  }

  #power(): Node {
    const base = this.#atom();
    if (!this.#take('**')) return base;
    const exponent = this.#sign();
    return (scope) => OPERATORS['**']!(base(scope), exponent(scope));
  }

  #atom(): Node {
    const token = this.#token;
    this.#at++;
    if (token.kind === 'number') return constant(Number(token.text));
    if (token.kind === 'text') return constant(token.text);
    if (token.kind === 'slot') return slot(token.text);
    if (token.kind === 'sign' && token.text === '(') return this.#bracket();
    if (token.kind === 'sign' && token.text === '[') return this.#list(']');
    if (token.kind !== 'word') throw new SyntaxError(`has ${token.text} instead of a value`);
    if (token.text === 'True' || token.text === 'False') return constant(token.text === 'True');
    if (token.text === 'None') return () => null;
    if (this.#take('(')) return this.#call(token.text);
    return slot(token.text);
  }

  #bracket(): Node {
    const first = this.#choice();
    if (this.#take(')')) return first;
    this.#expect(',');
    const rest = this.#items(')');
    return (scope) => [first, ...rest].map((item) => item(scope));
  }

  #list(end: string): Node {
    const items = this.#items(end);
    return (scope) => items.map((item) => item(scope));
  }

  #items(end: string): Node[] {
    const items: Node[] = [];
    while (!this.#take(end)) {
      items.push(this.#choice());
      if (!this.#take(',')) {
        this.#expect(end);
        return items;
      }
    }
    return items;
  }

  #call(name: string): Node {
    const parameters = this.#items(')');
    if (name === 'case') return cases(parameters);
    const call = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!call) throw new SyntaxError(`calls ${name}, which is not a function`);
    return (scope) => call(...parameters.map((parameter) => parameter(scope)));
  }
}

function constant(value: number | string | boolean): Node {
  return () => value;
}

function slot(name: string): Node {
  return (scope) => {
    const value = scope(name);
    if (value === null) throw new NoValue();
    return value;
  };
}

/** `case((condition, value), …)`: the value of the first condition that holds. */
function cases(pairs: readonly Node[]): Node {
  return (scope) => {
    for (const pair of pairs) {
      const values = pair(scope);
      if (!Array.isArray(values)) throw new NoValue();
      if (truth(values[0] ?? null)) return values[1] ?? null;
    }
    return null;
  };
}
