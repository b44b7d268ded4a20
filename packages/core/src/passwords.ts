/**
 * The characters that a password needs beside names, well-known words, rows of keys and repetitions. Lists of stolen
 * passwords have few of 15 characters and more, and these are put together from such parts; so only the rest counts.
 */
const LEFT_CHARS_MIN = 5;
const LEFT_DISTINCT_MIN = 4;
const NAME_CHARS_MIN = 3;
const ROW_CHARS_MIN = 4;

/** Rows of keys, the alphabet and digits, as people type them one after another; each row is also searched backwards. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiop',
  'qwertzuiopü',
  'azertyuiop',
  'asdfghjklöä',
  'zxcvbnm',
  'yxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik',
  '1qay2wsx3edc4rfv5tgb6zhn7ujm8ik',
  'q1w2e3r4t5y6u7i8o9p0',
  'q1w2e3r4t5z6u7i8o9p0',
  'qazwsxedcrfvtgbyhnujmikolp',
  'qaywsxedcrfvtgbzhnujmikolp',
].flatMap((row) => [row, [...row].reverse().join('')]);

/** The words of well-known passwords in English and German, and the words of this service. */
const WORDS = `
  administrator admin root superuser user users guest gast test testing tester demo default standard system server login logon
  password passwort passwords kennwort passphrase passwd pass secret geheim geheimnis changeme change letmein access zugang
  welcome willkommen hello hallo iloveyou love liebe loves lover forever always friends friend freunde baby angel princess prinzessin
  sunshine sonnenschein sonne football fussball fußball soccer baseball basketball hockey monkey dragon master meister shadow
  superman batman spiderman starwars pokemon michael jennifer jordan ashley daniel andrew charlie thomas jessica george
  summer sommer winter spring frühling fruehling autumn herbst january januar february februar march april may june juni july juli
  august september october oktober november december dezember monday montag tuesday wednesday thursday friday freitag saturday sunday
  computer internet google facebook samsung microsoft windows android freedom whatever trustno nothing something
  correct horse battery staple correcthorsebatterystaple thisismypassword myspace money flower cookie chocolate schokolade
  granary silo silos scale waage farm farmer farms barn bauer bauernhof hof rover drone drohne feed futter getreide grain
  operator operators bediener betreiber control steuerung plant anlage station screen office buero büro company firma
  one two three four five six seven eight nine zero eins zwei drei vier fünf sechs sieben acht neun null
  the and my is me you in of to for der die das und mein meine ist ich du
`
  .trim()
  .split(/\s+/);

/** The letters that people replace by digits and signs. */
const WRITTEN_FOR: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

interface Named {
  readonly login: string;
  readonly name: string;
}

/** Whether somebody who knows the person would try this password among the first. */
export function isEasyToGuess(password: string, { login, name }: Named): boolean {
  const text = withoutRows(password.normalize('NFKC').toLowerCase());
  const names = [login, ...`${login} ${name}`.toLowerCase().split(/[^\p{L}\p{N}]+/u)].filter(
    (one) => one.length >= NAME_CHARS_MIN,
  );
  const words = [...names, ...WORDS].sort((one, other) => other.length - one.length);
  return [text, text.replace(/[013457@$!]/g, (sign) => WRITTEN_FOR[sign] ?? sign)].some((written) =>
    isTooLittle(withoutRepetition(without(written, words))),
  );
}

const isTooLittle = (left: string): boolean =>
  left.length < LEFT_CHARS_MIN || new Set(left).size < LEFT_DISTINCT_MIN;

function without(text: string, words: readonly string[]): string {
  let left = text;
  // A word of two or three letters is often a part of a longer word, so only whole words of this length are removed.
  for (const word of words) {
    left = word.length <= NAME_CHARS_MIN ? left.replaceAll(wholeWord(word), ' ') : left.replaceAll(word, ' ');
  }
  return left.replace(/(19|20)\d\d/g, ' ').replace(/[^\p{L}\p{N}]+/gu, '');
}

const wholeWord = (word: string): RegExp => new RegExp(`(?<![\\p{L}])${word}(?![\\p{L}])`, 'gu');

/** Replaces the longest piece of any row at each position. */
function withoutRows(text: string): string {
  let left = '';
  for (let at = 0; at < text.length; ) {
    let end = at + ROW_CHARS_MIN;
    while (end <= text.length && ROWS.some((row) => row.includes(text.slice(at, end)))) end++;
    const length = end - 1 - at;
    left += length >= ROW_CHARS_MIN ? ' ' : text[at];
    at += length >= ROW_CHARS_MIN ? length : 1;
  }
  return left;
}

/** A repeated part counts once: the shortest part that the text repeats, even if the last repetition is cut off. */
function withoutRepetition(text: string): string {
  for (let length = 1; length <= text.length / 2; length++) {
    if (text.slice(length) === text.slice(0, -length)) return text.slice(0, length);
  }
  return text;
}
