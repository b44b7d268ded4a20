import type * as english from '../en/shell.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('pl');

export const shell: typeof english.shell = {
  viewFailed: (name) => `Nie można pokazać „${name}” z powodu błędu na tej stronie.`,
  restGoesOn:
    'Alarmy, zatrzymania i inne widoki działają dalej. Spróbuj ponownie; jeśli błąd zostanie, powiadom opiekuna usługi.',
  thisView: 'Ten widok',
  sections: {
    overview: 'Przegląd',
    alerts: 'Alarmy',
    map: 'Mapa',
    operations: 'Operacje',
    orders: 'Zamówienia',
    administration: 'Administracja',
  },
  navigation: 'Działy',
  skip: 'Do treści',
  search: 'Szukaj urządzeń',
  searchHint: 'Szukaj (klawisz /)',
  live: 'Na żywo',
  connecting: 'Łączenie',
  noNewsFor: (duration) => `Brak wiadomości od ${duration}`,
  notLiveSince: (time) => `Nie na żywo od ${time}`,
  stateOf: (time) => `Stan z ${time}, brak połączenia`,
  notLiveMeans:
    'Wszystko poniżej jest takie, jak było wtedy. Można nacisnąć stop, niczego innego nie można zmienić. Strona połączy się ponownie sama.',
  loading: 'Wczytywanie',
  viewNotLoaded: 'Nie udało się wczytać tego widoku.',
  facilities: (count) =>
    plural(count, { one: '# zakład', few: '# zakłady', many: '# zakładów', other: '# zakładu' }),
  noAlerts: 'Brak niepotwierdzonych alarmów',
  alertsUnknown: 'Nie wiadomo, czy są alarmy',
  alarmBar: 'Alarmy',
  goToDevice: 'Do urządzenia',
  movement: 'W toku',
  movements: {
    count: (count: number) =>
      plural(count, { one: '# w ruchu', few: '# w ruchu', many: '# w ruchu', other: '# w ruchu' }),
    more: (count: number) =>
      plural(count, { one: 'jeszcze #', few: 'jeszcze #', many: 'jeszcze #', other: 'jeszcze #' }),
    stopAllOf: (facility: string) => `Zatrzymaj wszystko: ${facility}`,
    stopped: (moved: string) => `Zatrzymano przy ${moved}`,
    completed: (moved: string) => `Zakończono, przemieszczono ${moved}`,
    confirmed: (time: string) => `potwierdzone przez urządzenie ${time}`,
    reported: (time: string) => `zgłoszone przez urządzenie ${time}`,
    vanished: 'Nie ma już na liście; sposób zakończenia jest odczytywany',
    over: 'Zakończono',
    details: 'Szczegóły',
  },
  menu: 'Ustawienia',
  signOut: 'Wyloguj',
  theme: 'Wygląd',
  themes: { system: 'Jak w urządzeniu', light: 'Jasny', dark: 'Ciemny' },
  language: 'Język',
  signedInWith: 'Zalogowano kluczem',
  person: 'Twoje imię i nazwisko',
  personHint: 'Widoczne w zapisach tego, co robisz.',
  palette: {
    title: 'Przejdź lub wykonaj',
    hint: 'Urządzenie, widok, wysyp …',
    nothing: 'Nic nie pasuje.',
    view: 'Widok',
    discharge: (name) => `Wysyp: ${name}`,
    feed: (name) => `Zasyp: ${name}`,
    acknowledge: (facility) => `Potwierdź: ${facility}`,
    waiting: (count) =>
      plural(count, {
        one: 'Czeka # alarm.',
        few: 'Czekają # alarmy.',
        many: 'Czeka # alarmów.',
        other: 'Czeka # alarmu.',
      }),
  },
  apiReference: 'Opis API',
};

export const wall: typeof english.wall = {
  empty: 'Nie ma jeszcze urządzeń.',
  of: (place, count) => `${place} z ${count}`,
};

export const session: typeof english.session = {
  title: 'Logowanie',
  what: 'Co jest w silosach, co się porusza i co wymaga uwagi.',
  otherWay: 'Na komputerze usługi to polecenie wypisuje link, który loguje:',
  key: 'Klucz API',
  keyHint: 'Klucz, który usługa wypisała przy pierwszym uruchomieniu, lub otrzymany od administratora.',
  login: 'Nazwa do logowania',
  password: 'Hasło',
  wrongLogin: 'Nazwa lub hasło są błędne.',
  wrongLoginOrCode: 'Hasło lub kod są błędne albo kod został już użyty.',
  secondFactor: 'Kod z aplikacji lub kod odzyskiwania',
  usePasskey: 'Zaloguj kluczem dostępu',
  noPasskey: 'Nie wybrano klucza dostępu.',
  usePassword: 'Użyj nazwy i hasła',
  useKey: 'Użyj klucza API',
  welcome: 'Witamy',
  newPassword: 'Wybierz hasło',
  newPasswordHint: 'Co najmniej 15 znaków, na przykład cztery słowa, których nikt inny by nie zestawił.',
  person: 'Twoje imię i nazwisko',
  whoAreYou: 'Kto się loguje?',
  personHint: 'Widoczne w zapisach tego, co robisz. Ta przeglądarka to zapamięta.',
  goOn: 'Dalej',
  notNow: 'Nie teraz',
  submit: 'Zaloguj',
  signInWith: (name) => `Zaloguj przez ${name}`,
  or: 'lub',
  ended: 'Sesja się zakończyła. Zaloguj się ponownie.',
  codeUsed:
    'Ten link został już użyty lub jest za stary. Zaloguj się kluczem API albo poproś o nowy link: granary console',
  unreachable: 'Usługa nie odpowiada. Strona próbuje ponownie sama.',
};
