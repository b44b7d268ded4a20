import type { Texts } from '../en/texts.ts';

export const push: Texts['push'] = {
  title: 'Mitteilungen auf diesem Gerät',
  means:
    'Alarme und beendete Vorgänge erreichen dieses Gerät auch, wenn die Seite geschlossen ist. Was gesendet wird, ist verschlüsselt; der Push-Dienst des Browsers kann es nicht lesen.',
  obstacles: {
    encryption: 'Browser erlauben das nur mit HTTPS. Bitten Sie die Betreiber des Dienstes darum.',
    install:
      'Auf einem iPhone oder iPad legen Sie die Seite zuerst auf den Home-Bildschirm (Teilen, Zum Home-Bildschirm) und öffnen sie von dort.',
    denied:
      'Dieser Browser lehnt Mitteilungen dieser Seite ab. Erlauben Sie sie in den Einstellungen des Browsers für diese Adresse.',
    browser: 'Dieser Browser kennt kein Web Push.',
    service: 'Der Push-Dienst des Browsers ist von hier nicht erreichbar.',
  },
  turnOn: 'Einschalten',
  turnOff: 'Ausschalten',
  isOn: 'Ein: Mitteilungen erreichen dieses Gerät.',
  isOff: 'Aus: Keine Mitteilung erreicht dieses Gerät.',
  test: 'Test senden',
  tested: 'Ein Test ist unterwegs zu allen Ihren Geräten.',
  settings: 'Was gemeldet wird',
  severityMin: 'Alarme ab dieser Schwere',
  facilities: 'Nur diese Betriebe',
  operations: 'Beendete Vorgänge',
  operationsOf: { none: 'Keine', own: 'Die ich begonnen habe', all: 'Alle' },
  resolved: 'Auch melden, wenn ein Alarm vorbei ist',
  quietMeans: (zone) =>
    `In der Zeit von ${zone}. Vorgänge, die dann enden, werden nicht gemeldet; Alarme warten.`,
  devices: 'Geräte, die Mitteilungen erhalten',
  since: 'Seit',
  end: 'Beenden',
  endOf: (browser) => `Mitteilungen auf ${browser} beenden`,
  endMeans: 'Keine Mitteilung erreicht dieses Gerät mehr.',
  words: {
    over: 'Vorbei',
    severity_raised: 'Schwerer',
    present_again: 'Wieder',
    unshelved: 'Nicht mehr zurückgestellt',
    not_acknowledged: 'Nicht quittiert',
    completed: 'Abgeschlossen',
    stopped: 'Gestoppt',
    failed: 'Gescheitert',
    several: 'Alarme',
    test: 'Mitteilungen erreichen dieses Gerät.',
  },
};
