interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const CLEAR = '\r\u001b[K';

/** One line on a terminal that is written again and again; nothing where the output is not a terminal. */
export function progressLine(terminal: Terminal) {
  let isShown = false;
  return {
    show(text: string): void {
      if (terminal.isTTY !== true) return;
      terminal.write(`${CLEAR}${text}`);
      isShown = true;
    },
    /** Removes the line before something else is printed. */
    above(print: () => void): void {
      if (isShown) terminal.write(CLEAR);
      isShown = false;
      print();
    },
  };
}
