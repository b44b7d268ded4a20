import type { Texts } from '../en/texts.ts';

export const push: Texts['push'] = {
  title: 'Powiadomienia na tym urządzeniu',
  means:
    'Alarmy i zakończone operacje docierają na to urządzenie także wtedy, gdy strona jest zamknięta. To, co jest wysyłane, jest zaszyfrowane; usługa push przeglądarki nie może tego odczytać.',
  obstacles: {
    encryption: 'Przeglądarki pozwalają na to tylko z HTTPS. Poproś o to osoby prowadzące usługę.',
    install:
      'Na iPhonie lub iPadzie najpierw dodaj tę stronę do ekranu początkowego (Udostępnij, Do ekranu początkowego) i otwórz ją stamtąd.',
    denied:
      'Ta przeglądarka odrzuca powiadomienia tej strony. Zezwól na nie w ustawieniach przeglądarki dla tego adresu.',
    browser: 'Ta przeglądarka nie zna Web Push.',
    service: 'Usługa push przeglądarki jest stąd nieosiągalna.',
  },
  turnOn: 'Włącz',
  turnOff: 'Wyłącz',
  isOn: 'Włączone: wiadomości docierają na to urządzenie.',
  isOff: 'Wyłączone: żadna wiadomość nie dociera na to urządzenie.',
  test: 'Wyślij test',
  tested: 'Test jest w drodze na wszystkie Twoje urządzenia.',
  settings: 'Co zgłaszać',
  severityMin: 'Alarmy od tej ważności',
  facilities: 'Tylko te zakłady',
  operations: 'Zakończone operacje',
  operationsOf: { none: 'Żadne', own: 'Rozpoczęte przeze mnie', all: 'Wszystkie' },
  resolved: 'Zgłaszaj także koniec alarmu',
  quietMeans: (zone) =>
    `W czasie ${zone}. Operacje, które się wtedy kończą, nie są zgłaszane; alarmy czekają.`,
  devices: 'Urządzenia, które otrzymują wiadomości',
  since: 'Od',
  end: 'Zakończ',
  endOf: (browser) => `Zakończ powiadomienia: ${browser}`,
  endMeans: 'Żadna wiadomość nie dotrze już na to urządzenie.',
  words: {
    over: 'Koniec',
    severity_raised: 'Ważniejszy',
    present_again: 'Ponownie',
    unshelved: 'Już nie odłożony',
    not_acknowledged: 'Niepotwierdzony',
    completed: 'Ukończono',
    stopped: 'Zatrzymano',
    failed: 'Nie powiodło się',
    several: 'Alarmy',
    test: 'Wiadomości docierają na to urządzenie.',
  },
};
