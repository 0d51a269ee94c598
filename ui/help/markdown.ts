/** The Markdown that pages of the documentation have: headings, paragraphs, lists, tables; code, emphasis and links within them. */

type Block =
  | { readonly kind: 'heading' | 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

/** The parts of a page, without its title and its images. */
export function blocksOf(page: string): Block[] {
  return page.split(/\n{2,}/).flatMap((part): Block[] => {
    const text = part.trim();
    if (text === '' || text.startsWith('# ') || text.startsWith('![')) return [];
    if (text.startsWith('## ')) return [{ kind: 'heading', text: text.slice(3) }];
    if (text.startsWith('- '))
      return [{ kind: 'list', items: text.split(/\n(?=- )/).map((item) => lined(item.slice(2))) }];
    if (text.startsWith('|')) {
      const [head = [], , ...rows] = text.split('\n').map(cellsOf);
      return [{ kind: 'table', head, rows }];
    }
    return [{ kind: 'paragraph', text: lined(text) }];
  });
}

export function headingsOf(page: string): string[] {
  return blocksOf(page).flatMap((one) => (one.kind === 'heading' ? [one.text] : []));
}

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

const lined = (text: string) => text.replace(/\s*\n\s*/g, ' ');

/** The anchor of a heading. */
export function idOf(heading: string): string {
  return heading.toLowerCase().replace(/\W+/g, '-');
}

type Inline = { readonly kind: 'text' | 'code' | 'emphasis'; readonly text: string };

/** The parts of a line. A link is its text. */
export function inlinesOf(text: string): Inline[] {
  const parts = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').split(/(`[^`]+`|(?<!\w)_[^_]+_(?!\w))/);
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      if (part.startsWith('`')) return { kind: 'code', text: part.slice(1, -1) };
      if (/^_.*_$/.test(part)) return { kind: 'emphasis', text: part.slice(1, -1) };
      return { kind: 'text', text: part };
    });
}
