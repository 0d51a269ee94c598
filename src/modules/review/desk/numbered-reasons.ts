/**
 * Chooses a recent reason by its number. The outcome does not depend on whether the list has arrived when the digit is
 * typed: the digit waits for the list, and a digit that words follow is text.
 */
import { useRef, useState } from 'preact/hooks';

/** How many reasons have a number. */
export const OFFERED = 5;
const NUMBER = new RegExp(`^[1-${OFFERED}]$`);
/** Keys after which the chosen reason is edited as text. */
const EDITING = /^(Arrow|Home|End|Page|Backspace|Delete|Enter)/;

type NumberedReasons = {
  /** The text of the field. */
  readonly shown: string;
  /** Whether a digit waits for the list. */
  readonly isPending: boolean;
  /** Replaces the text. */
  readonly write: (text: string) => void;
  /** Makes the chosen reason ordinary text. */
  readonly settle: () => void;
  /** Chooses by number, beside the field. @returns false if no reason has it */
  readonly press: (number: number) => boolean;
  readonly onKeyDown: (event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }) => void;
};

/** @param reasons undefined until they have arrived */
export function useNumberedReasons(
  reasons: readonly string[] | undefined,
  text: string,
  setText: (text: string) => void,
): NumberedReasons {
  /** The digits that were typed for a number, the last of which is used. */
  const [digits, setDigits] = useState('');
  /** The words in front of the digits, in case that the digits are text. */
  const [before, setBefore] = useState('');
  const isTouched = useRef(false);
  const reasonAt = (digit: string) => reasons?.[Number(digit) - 1];
  const choice = reasonAt(digits.slice(-1));
  const shown = digits === '' ? text : (choice ?? before + digits);
  const write = (next: string) => {
    isTouched.current = true;
    setDigits('');
    setText(next);
  };
  const settle = () => {
    if (digits !== '') write(shown);
  };
  const choose = (digit: string, start: string) => {
    isTouched.current = true;
    if (digits === '') setBefore(start);
    setDigits(digits + digit);
  };
  const canBe = (digit: string) =>
    NUMBER.test(digit) && (reasons === undefined || reasonAt(digit) !== undefined);
  const onKeyDown: NumberedReasons['onKeyDown'] = (event) => {
    const { key, currentTarget: field } = event;
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (EDITING.test(key)) settle();
    if (key.length > 1) return;
    const isSelected = field.selectionStart !== field.selectionEnd;
    const isWhole = field.selectionEnd - field.selectionStart === field.value.length;
    // A digit begins a number in an empty field, over text that is selected, or as the first key after text of an earlier try.
    const isNumber = canBe(key) && (isWhole || digits !== '' || !isTouched.current);
    isTouched.current = true;
    if (isNumber) {
      if (isWhole) {
        setBefore('');
        setDigits(key);
      } else choose(key, text);
    } else if (digits === '' || isSelected) return;
    else write(before + digits + key);
    event.preventDefault();
  };
  const press = (number: number) => {
    if (!canBe(String(number))) return false;
    choose(String(number), text);
    return true;
  };
  return { shown, isPending: digits !== '' && reasons === undefined, write, settle, press, onKeyDown };
}
