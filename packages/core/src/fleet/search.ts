const asciiLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The texts to look for. A database changes only A to Z to lower case, so other letters are looked for in lower case and in
 * upper case.
 */
export const searchTexts = (wanted: string): readonly string[] => [
  ...new Set([wanted, wanted.toLowerCase(), wanted.toUpperCase()].map(asciiLowerCase)),
];
